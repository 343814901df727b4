package update

import (
	"encoding/hex"
	"strings"
)

const (
	checksumsName = "checksums.txt"
	bundleName    = "checksums.txt.sigstore.json"
	maxChecksums  = 1024 * 1024
	maxLines      = 1000
)

// checksums has the SHA-256 of each file of a release, in lower-case hex.
type checksums map[string]string

// parseChecksums reads `digest  name` lines; a star before the name, CRLF and capitals are fine.
func parseChecksums(text []byte) (checksums, error) {
	list := checksums{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > maxLines {
		return nil, integrity("checksums.txt has more than %d lines", maxLines)
	}
	for number, line := range lines {
		digest, name, found := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		name = strings.TrimPrefix(strings.TrimPrefix(name, " "), "*")
		raw, err := hex.DecodeString(digest)
		if !found || err != nil || len(raw) != 32 || name == "" || strings.TrimSpace(name) != name {
			return nil, integrity("line %d of checksums.txt is not a SHA-256 and a name", number+1)
		}
		digest = strings.ToLower(digest)
		if _, twice := list[name]; twice {
			return nil, integrity("checksums.txt lists `%s` twice", name)
		}
		list[name] = digest
	}
	return list, nil
}

func (c checksums) of(name string) (string, error) {
	digest, found := c[name]
	if !found {
		return "", integrity("checksums.txt does not list `%s`", name)
	}
	return digest, nil
}
