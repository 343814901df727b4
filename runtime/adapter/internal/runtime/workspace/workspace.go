// Package workspace reads and writes the files of an adapter below a directory: bounded, atomically, never through a
// symbolic link, and covered by a .gitignore beside them.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
)

// MaxSize is how many bytes a file may have.
const MaxSize = 1 << 20

const (
	newFile      = fs.FileMode(0o600)
	newDirectory = fs.FileMode(0o750)
)

// File is a file below a root directory.
type File struct {
	root  string
	parts []string
}

// At returns the file at a slash-separated path below root.
func At(root, path string) (File, error) {
	if strings.TrimSpace(root) == "" {
		return File{}, errors.New("the workspace path is empty")
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) || path == "." {
		return File{}, fmt.Errorf("`%s` is not a path below the workspace", path)
	}
	return File{root: root, parts: strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")}, nil
}

// Path is the path of the file.
func (f File) Path() string {
	return filepath.Join(append([]string{f.root}, f.parts...)...)
}

func (f File) directory() string { return filepath.Dir(f.Path()) }
func (f File) name() string      { return f.parts[len(f.parts)-1] }

// Content is what a file has.
type Content struct {
	Text  []byte
	Mode  fs.FileMode
	Found bool
}

// Read returns the content. A file that is not there is not an error.
func (f File) Read() (Content, error) {
	if err := f.refuseLinks(); err != nil {
		return Content{}, err
	}
	file, err := os.Open(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return Content{Mode: newFile}, nil
	}
	if err != nil {
		return Content{}, fmt.Errorf("read `%s`: %w", f.Path(), err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return Content{}, fmt.Errorf("read `%s`: %w", f.Path(), err)
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return Content{}, fmt.Errorf("read `%s`: %w", f.Path(), err)
	}
	if len(text) > MaxSize {
		return Content{}, fmt.Errorf("`%s` has more than %d bytes; make it smaller or move it away", f.Path(), MaxSize)
	}
	return Content{Text: text, Mode: info.Mode().Perm(), Found: true}, nil
}

// Write replaces the file in one step, after the .gitignore that covers it.
func (f File) Write(text []byte, mode fs.FileMode) error {
	if err := f.refuseLinks(); err != nil {
		return err
	}
	if err := os.MkdirAll(f.directory(), newDirectory); err != nil {
		return fmt.Errorf("create `%s`: %w", f.directory(), err)
	}
	if err := f.ignore(); err != nil {
		return err
	}
	if err := hookutil.AtomicWriteFile(f.Path(), text, mode); err != nil {
		return fmt.Errorf("write `%s`: %w", f.Path(), err)
	}
	return nil
}

// GiveBack writes what the user had in the file. The .gitignore no longer covers it, because it is the user's again.
func (f File) GiveBack(text []byte, mode fs.FileMode) error {
	if err := f.refuseLinks(); err != nil {
		return err
	}
	if err := hookutil.AtomicWriteFile(f.Path(), text, mode); err != nil {
		return fmt.Errorf("write `%s`: %w", f.Path(), err)
	}
	names, owned := ignored(filepath.Join(f.directory(), ".gitignore"))
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == f.name() })
	switch {
	case !owned || len(others) == len(names):
		return nil
	case len(others) == 0:
		return f.uncover(nil)
	}
	if err := hookutil.EnsureWorkspaceGitignore(f.directory(), others...); err != nil {
		return fmt.Errorf("uncover `%s`: %w", f.Path(), err)
	}
	return f.uncover(others)
}

// WritePrivate replaces a file outside of a repository, for the owner alone.
func (f File) WritePrivate(text []byte) error {
	if err := f.refuseLinks(); err != nil {
		return err
	}
	if err := os.MkdirAll(f.directory(), 0o700); err != nil {
		return fmt.Errorf("create `%s`: %w", f.directory(), err)
	}
	if err := hookutil.AtomicWriteFile(f.Path(), text, newFile); err != nil {
		return fmt.Errorf("write `%s`: %w", f.Path(), err)
	}
	return nil
}

// Remove deletes the file, the .gitignore when nothing is left that it covers, and directories that are empty then.
func (f File) Remove() error {
	if err := f.refuseLinks(); err != nil {
		return err
	}
	if err := os.Remove(f.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove `%s`: %w", f.Path(), err)
	}
	return f.Forget()
}

// Forget removes the .gitignore when nothing is left that it covers, and directories that are empty then.
func (f File) Forget() error {
	if names, owned := ignored(filepath.Join(f.directory(), ".gitignore")); owned {
		if err := f.uncover(names); err != nil {
			return err
		}
	}
	for directory, left := f.directory(), len(f.parts)-1; left > 0; left-- {
		if os.Remove(directory) != nil {
			break
		}
		directory = filepath.Dir(directory)
	}
	return nil
}

// uncover removes the .gitignore of the orchestrator if none of the names that it covers is there.
func (f File) uncover(names []string) error {
	needed := slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(f.directory(), name))
		return err == nil
	})
	if needed {
		return nil
	}
	ignore := filepath.Join(f.directory(), ".gitignore")
	if err := os.Remove(ignore); err != nil {
		return fmt.Errorf("remove `%s`: %w", ignore, err)
	}
	return nil
}

// ignore covers the file, and what the .gitignore covered before.
func (f File) ignore() error {
	names, _ := ignored(filepath.Join(f.directory(), ".gitignore"))
	if !slices.Contains(names, f.name()) {
		names = append(names, f.name())
	}
	if err := hookutil.EnsureWorkspaceGitignore(f.directory(), names...); err != nil {
		return fmt.Errorf("cover `%s` by a .gitignore: %w", f.Path(), err)
	}
	return nil
}

// ignored returns the names that a .gitignore of the orchestrator covers, and whether it is one.
func ignored(path string) ([]string, bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, MaxSize))
	if err != nil || !strings.Contains(string(text), hookutil.GitignoreSentinel) {
		return nil, false
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, rooted := strings.CutPrefix(strings.TrimSpace(line), "/")
		if rooted && name != ".gitignore" && filepath.IsLocal(name) && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names, true
}

// refuseLinks makes sure that the file is where its path says, and is a file.
func (f File) refuseLinks() error {
	path := f.root
	for index, part := range f.parts {
		path = filepath.Join(path, part)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at `%s`: %w", path, err)
		}
		last := index == len(f.parts)-1
		if last && !info.Mode().IsRegular() || !last && !info.IsDir() {
			return fmt.Errorf("`%s` is not a regular file in a regular directory; move it away", path)
		}
	}
	return nil
}

// Names returns the names in a directory below the root. A directory that is not there has none.
func Names(root, path string) ([]string, error) {
	inside, err := At(root, path+"/.")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(inside.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read `%s`: %w", inside.Path(), err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}
