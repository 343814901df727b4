// Command publish makes releases for `aos conform`, the good one and those with a fault, signed by a Sigstore of its own
// that only a build with -tags testhooks can be told to trust. `make conform` runs it.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit/sigstore"
)

const mebibyte = 1 << 20

func main() {
	out := flag.String("out", "", "directory to write to")
	version := flag.String("version", "", "version of the releases")
	kinds := flag.String("kinds", "", "kinds of release, separated by commas")
	flag.Parse()
	if err := publish(*out, *version, strings.Split(*kinds, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

// release is what differs from kind to kind.
type release struct {
	entries []entry
	list    func(good string) string
	signing sigstore.Signing
	// bomb is an archive in place of the entries.
	bomb bool
}

// entry is one entry of an archive; with a link it is a symbolic one.
type entry struct {
	name    string
	content []byte
	link    string
}

// publish writes what the test build has to trust, the new program and its Skill, and each release that is known.
func publish(out, version string, kinds []string) error {
	skills, err := skillEntries()
	if err != nil {
		return err
	}
	signer := sigstore.New()
	program, err := newProgram(version)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(out, "trust", "trusted_root.json"), signer.TrustRoot()); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "program"), program); err != nil {
		return err
	}
	for _, found := range skills {
		if err := write(filepath.Join(out, filepath.FromSlash(found.name)), found.content); err != nil {
			return err
		}
	}
	changelog := []byte("# Changelog\n\n## [" + version + "] - 2001-01-01\n\n### Added\n\n- More.\n")
	good := append([]entry{{name: programName(), content: program}, {name: "CHANGELOG.md", content: changelog}}, skills...)
	known := releases(version, good)
	for _, kind := range kinds {
		if made, ok := known[kind]; ok {
			if err := made.write(filepath.Join(out, kind), version, changelog, signer); err != nil {
				return err
			}
		}
	}
	return nil
}

// newProgram is the test build beside this program as another version.
func newProgram(version string) ([]byte, error) {
	if !semver.IsValid("v" + version) {
		return nil, fmt.Errorf("%q is no version", version)
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	path := strings.ReplaceAll(filepath.Join(filepath.Dir(own), programName()), "'", `'\''`)
	return fmt.Appendf(nil, "#!/bin/sh\n%s=%s exec '%s' \"$@\"\n", self.Env("TEST_VERSION"), version, path), nil
}

// releases are all that can be made.
func releases(version string, good []entry) map[string]release {
	as := func(entries ...entry) release {
		return release{entries: entries, list: unchanged, signing: sigstore.Release(version)}
	}
	signedBy := func(change func(how *sigstore.Signing)) release {
		made := as(good...)
		change(&made.signing)
		return made
	}
	named := func(from, to string) release {
		return signedBy(func(how *sigstore.Signing) { how.Identity = strings.Replace(how.Identity, from, to, 1) })
	}
	listed := func(change func(line string) string) release {
		made := as(good...)
		made.list = change
		return made
	}
	other := strings.Repeat("0", 64)
	bomb := as()
	bomb.bomb = true
	return map[string]release{
		"good":                 as(good...),
		"wrong-repository":     named(about.Repository, "somebody/else"),
		"wrong-workflow":       named("release.yml", "ci.yml"),
		"wrong-ref":            named("refs/tags/v"+version, "refs/heads/main"),
		"wrong-tag":            named("/v"+version, "/v0.0.1"),
		"identity-prefix":      signedBy(func(how *sigstore.Signing) { how.Identity = "https://example.com/" + how.Identity }),
		"identity-suffix":      signedBy(func(how *sigstore.Signing) { how.Identity += "-rc.1" }),
		"wrong-issuer":         signedBy(func(how *sigstore.Signing) { how.Issuer = "https://accounts.example.com" }),
		"legacy-bundle":        signedBy(func(how *sigstore.Signing) { how.Fault = "old format of cosign" }),
		"bad-signature":        signedBy(func(how *sigstore.Signing) { how.Fault = "bad signature" }),
		"checksum-mismatch":    listed(func(line string) string { return other + line[64:] }),
		"checksum-missing":     listed(func(line string) string { return strings.Replace(line, ".tar.gz", ".zip", 1) }),
		"checksum-duplicate":   listed(func(line string) string { return line + other + line[64:] }),
		"archive-traversal":    as(append([]entry{{name: "../aos-conform-escaped", content: []byte("escaped")}}, good...)...),
		"archive-symlink":      as(append([]entry{{name: programName(), link: "/bin/sh"}}, good[1:]...)...),
		"archive-wrong-member": as(append([]entry{{name: "other/" + programName(), content: good[0].content}}, good[1:]...)...),
		"archive-no-program":   as(good[1:]...),
		"archive-too-large":    bomb,
	}
}

func unchanged(line string) string {
	return line
}

// write puts the files of a release into a directory.
func (r release) write(directory, version string, changelog []byte, signer *sigstore.Sigstore) error {
	packed, err := r.pack()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-%s-%s.tar.gz", about.Tool, version, runtime.GOOS, runtime.GOARCH)
	list := []byte(r.list(line(packed, name)) + line(changelog, "CHANGELOG.md"))
	return errors.Join(
		write(filepath.Join(directory, name), packed),
		write(filepath.Join(directory, "CHANGELOG.md"), changelog),
		write(filepath.Join(directory, "checksums.txt"), list),
		write(filepath.Join(directory, "checksums.txt.sigstore.json"), signer.Sign(list, r.signing)),
	)
}

func line(content []byte, name string) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) + "  " + name + "\n"
}

// pack makes the archive.
func (r release) pack() ([]byte, error) {
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	if r.bomb {
		return explosive(archive, compressed, &packed)
	}
	for _, found := range r.entries {
		header := &tar.Header{Name: found.name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(found.content))}
		if found.link != "" {
			header.Typeflag, header.Linkname = tar.TypeSymlink, found.link
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(found.content); err != nil {
			return nil, err
		}
	}
	err := errors.Join(archive.Close(), compressed.Close())
	return packed.Bytes(), err
}

// explosive is a small archive of a program that is larger than any.
func explosive(archive *tar.Writer, compressed *gzip.Writer, packed *bytes.Buffer) ([]byte, error) {
	const size = 600
	header := &tar.Header{Name: programName(), Typeflag: tar.TypeReg, Mode: 0o755, Size: size * mebibyte}
	if err := archive.WriteHeader(header); err != nil {
		return nil, err
	}
	zeros := make([]byte, mebibyte)
	for range size {
		if _, err := archive.Write(zeros); err != nil {
			return nil, err
		}
	}
	err := errors.Join(archive.Close(), compressed.Close())
	return packed.Bytes(), err
}

func programName() string {
	if runtime.GOOS == "windows" {
		return about.Tool + ".exe"
	}
	return about.Tool
}

// skillEntries are the Skill of the work tree that this runs in.
func skillEntries() ([]entry, error) {
	paths, err := filepath.Glob(filepath.Join("skills", about.Tool, "*"))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: filepath.ToSlash(path), content: content})
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("there is no Skill in %s: run it where the sources are", filepath.Join("skills", about.Tool))
	}
	return entries, nil
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}
