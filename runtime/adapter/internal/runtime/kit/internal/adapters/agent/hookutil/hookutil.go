// Package hookutil writes files in a workspace so that git does not see them.
package hookutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// GitignoreSentinel is the first line of a .gitignore that the orchestrator owns.
const GitignoreSentinel = "# managed by agent-orchestrator: AO hook files stay out of git status"

// EnsureWorkspaceGitignore writes a .gitignore into dir that covers itself and the named files. A .gitignore of the
// user, which has no sentinel, is left alone.
func EnsureWorkspaceGitignore(dir string, names ...string) error {
	path := filepath.Join(dir, ".gitignore")
	present, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	case !strings.Contains(string(present), GitignoreSentinel):
		return nil
	}
	lines := []string{GitignoreSentinel, "/.gitignore"}
	for _, name := range names {
		lines = append(lines, "/"+filepath.ToSlash(name))
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("create %s: %w", dir, err)
	}
	return AtomicWriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// FileExists reports whether path is a file.
func FileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// AtomicWriteFile replaces path in one step: a reader sees the old bytes or the new ones.
func AtomicWriteFile(path string, data []byte, perm os.FileMode) error {
	staged, err := os.CreateTemp(filepath.Dir(path), ".ao-tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(staged.Name())
	_, err = staged.Write(data)
	if err == nil {
		err = staged.Chmod(perm)
	}
	if err == nil {
		err = staged.Sync()
	}
	if closed := staged.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(staged.Name(), path)
}
