package update

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"runtime"
	"strings"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
)

const (
	maxEntries  = 1000
	maxUnpacked = 512 * 1024 * 1024
	maxText     = 4 * 1024 * 1024
	maxSkill    = 16 * 1024 * 1024
)

// content is what an update takes from an archive.
type content struct {
	// program is the path of the unpacked program.
	program   string
	skill     map[string][]byte
	changelog string
}

// programName is that of the program inside the archive.
func programName() string {
	if runtime.GOOS == "windows" {
		return about.Tool + ".exe"
	}
	return about.Tool
}

// unpack takes the program, the Skill and the changelog out of an archive whose digest is verified. Nothing is written
// but the program, to a path that does not come from the archive. Anything unusual stops the update: a release has
// regular files with plain names, each once.
func unpack(archive, program string) (*content, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, localFault(archive, err)
	}
	defer func() { _ = file.Close() }()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		return nil, integrity("the archive is not a gzip file")
	}
	bounded := &bounded{reader: compressed, left: maxUnpacked}
	unpacked := &unpacker{
		content: content{skill: map[string][]byte{}},
		seen:    map[string]bool{},
		target:  program,
	}
	reader := tar.NewReader(bounded)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, damaged(err)
		}
		if err := unpacked.entry(header, reader); err != nil {
			return nil, err
		}
	}
	if err := onlyZeros(bounded); err != nil {
		return nil, err
	}
	if unpacked.content.program == "" {
		return nil, integrity("the archive does not contain `%s`", programName())
	}
	return &unpacked.content, nil
}

type unpacker struct {
	content content
	seen    map[string]bool
	target  string
	skill   int64
}

func (u *unpacker) entry(header *tar.Header, reader io.Reader) error {
	name := strings.TrimSuffix(header.Name, "/")
	switch {
	case len(u.seen) >= maxEntries:
		return integrity("the archive has more than %d entries", maxEntries)
	case !isPlain(name):
		return integrity("the archive has an entry with an unsafe name")
	case u.seen[strings.ToLower(name)]:
		return integrity("the archive has `%s` twice", name)
	case header.Typeflag == tar.TypeDir && name != programName():
		u.seen[strings.ToLower(name)] = true
		return nil
	case header.Typeflag != tar.TypeReg:
		return integrity("the archive has an entry that is not a regular file: `%s`", name)
	case header.Size < 0 || header.Size > maxUnpacked:
		return integrity("the archive has an entry that is too large: `%s`", name)
	}
	u.seen[strings.ToLower(name)] = true
	skill := "skills/" + about.Tool + "/"
	switch {
	case name == programName():
		return u.program(reader)
	case name == "CHANGELOG.md":
		text, err := readEntry(reader, header.Size, maxText)
		u.content.changelog = string(text)
		return err
	case strings.HasPrefix(name, skill):
		if u.skill += header.Size; u.skill > maxSkill {
			return integrity("the Skill in the archive is too large")
		}
		text, err := readEntry(reader, header.Size, maxSkill)
		u.content.skill[strings.TrimPrefix(name, skill)] = text
		return err
	}
	return nil
}

func (u *unpacker) program(reader io.Reader) error {
	// The mode is set before the program is put into its place.
	file, err := os.OpenFile(u.target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return localFault(u.target, err)
	}
	_, err = io.Copy(file, reader)
	if closeError := file.Close(); err == nil {
		err = closeError
	}
	var corrupt *fault.Error
	switch {
	case errors.As(err, &corrupt):
		return corrupt
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return damaged(err)
	case err != nil:
		return localFault(u.target, err)
	}
	u.content.program = u.target
	return nil
}

func readEntry(reader io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, integrity("the archive has a text that is too large")
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, damaged(err)
	}
	return text, nil
}

// isPlain reports whether a name stays below the directory that it is unpacked to, on every system.
func isPlain(name string) bool {
	return name != "" && name != "." && !strings.HasPrefix(name, "/") && !strings.ContainsAny(name, "\\:\x00") &&
		path.Clean(name) == name && name != ".." && !strings.HasPrefix(name, "../")
}

func damaged(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return integrity("the archive is damaged: %v", err)
}

// onlyZeros reads what follows the last entry: padding, nothing else.
func onlyZeros(reader io.Reader) error {
	buffer := make([]byte, 32*1024)
	for {
		count, err := reader.Read(buffer)
		for _, octet := range buffer[:count] {
			if octet != 0 {
				return integrity("the archive has data after its last entry")
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
	}
}

// bounded fails when more comes out of an archive than a release can have.
type bounded struct {
	reader io.Reader
	left   int64
}

func (b *bounded) Read(buffer []byte) (int, error) {
	count, err := b.reader.Read(buffer)
	if b.left -= int64(count); b.left < 0 {
		return 0, integrity("the archive unpacks to more than %d bytes", maxUnpacked)
	}
	return count, err
}
