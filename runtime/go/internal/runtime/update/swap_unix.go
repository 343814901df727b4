//go:build !windows

package update

import (
	"os"
	"path/filepath"
)

// swap moves the staged program into place with one rename, so the old or the new program exists at every moment.
func (e *executable) swap(staged string) error {
	if err := os.Rename(staged, e.path); err != nil {
		return localFault(e.path, err)
	}
	// The rename is done; when the directory cannot be synced, a power cut may undo it, which is safe too.
	if directory, err := os.Open(filepath.Dir(e.path)); err == nil {
		_ = directory.Sync()
		_ = directory.Close()
	}
	return nil
}
