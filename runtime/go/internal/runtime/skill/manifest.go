// Package skill keeps the installed Agent Skill at the version of the program. The installer is `npx skills`; whether
// it did its work is decided by the digests of the installed files alone.
package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Manifest has the SHA-256 of each file of a Skill, by its path with slashes.
type Manifest map[string]string

const (
	maxFiles = 1000
	maxBytes = 16 * 1024 * 1024
	maxDepth = 16
)

// ignoredDirectories and ignoredFiles are what the installer does not copy.
var (
	ignoredDirectories = []string{".git", "__pycache__", "__pypackages__"}
	ignoredFiles       = []string{"metadata.json"}
)

// Of makes the manifest of files by their paths.
func Of(files map[string][]byte) Manifest {
	manifest := Manifest{}
	for name, content := range files {
		if isPart(name) {
			manifest[name] = digest(content)
		}
	}
	return manifest
}

// OfTree makes the manifest of a directory of an embedded tree.
func OfTree(tree fs.FS, directory string) (Manifest, error) {
	files, err := FilesOf(tree, directory)
	return Of(files), err
}

// FilesOf returns the files of a directory of an embedded tree, as an installer would copy them.
func FilesOf(tree fs.FS, directory string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(tree, directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if short := strings.TrimPrefix(name, directory+"/"); isPart(short) {
			files[short] = content
		}
		return err
	})
	return files, err
}

// Digest is one value for the whole manifest.
func (m Manifest) Digest() string {
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		_, _ = fmt.Fprintf(&list, "%s %s\n", m[name], name)
	}
	return digest([]byte(list.String()))
}

// Parts returns the files that an installer would copy.
func Parts(files map[string][]byte) map[string][]byte {
	parts := map[string][]byte{}
	for name, content := range files {
		if isPart(name) && filepath.IsLocal(filepath.FromSlash(name)) {
			parts[name] = content
		}
	}
	return parts
}

func isPart(name string) bool {
	segments := strings.Split(name, "/")
	for _, segment := range segments[:len(segments)-1] {
		if slices.Contains(ignoredDirectories, segment) {
			return false
		}
	}
	return !slices.Contains(ignoredFiles, path.Base(name))
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// read returns the files of an installed Skill, through links, within bounds.
func read(directory string) (map[string][]byte, error) {
	reader := reader{files: map[string][]byte{}}
	return reader.files, reader.walk(directory, "", 0)
}

type reader struct {
	files   map[string][]byte
	entries int
	bytes   int64
}

func (r *reader) walk(directory, prefix string, depth int) error {
	if depth > maxDepth {
		return errors.New("it is nested too deeply")
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if r.entries++; r.entries > maxFiles {
			return fmt.Errorf("it has more than %d entries", maxFiles)
		}
		location := filepath.Join(directory, entry.Name())
		information, err := os.Stat(location)
		if errors.Is(err, fs.ErrNotExist) {
			// A link that leads nowhere has no content.
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case information.IsDir():
			if slices.Contains(ignoredDirectories, entry.Name()) {
				continue
			}
			if err := r.walk(location, prefix+entry.Name()+"/", depth+1); err != nil {
				return err
			}
		case information.Mode().IsRegular():
			if r.bytes += information.Size(); r.bytes > maxBytes {
				return fmt.Errorf("it is larger than %d bytes", maxBytes)
			}
			content, err := os.ReadFile(location)
			if err != nil {
				return err
			}
			r.files[prefix+entry.Name()] = content
		}
	}
	return nil
}
