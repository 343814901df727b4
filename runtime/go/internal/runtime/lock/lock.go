// Package lock holds files for one process at a time. The operating system frees a lock when its process ends,
// however it ends.
package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld means that another process has the lock.
var ErrHeld = errors.New("another process holds the lock")

// Lock is a held lock.
type Lock struct {
	file *os.File
}

// Try takes the lock at once or fails with ErrHeld.
func Try(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := acquire(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return &Lock{file: file}, nil
}

// Wait takes the lock, waiting for it at most for the limit.
func Wait(path string, limit time.Duration) (*Lock, error) {
	deadline := time.Now().Add(limit)
	for {
		held, err := Try(path)
		if !errors.Is(err, ErrHeld) || time.Now().After(deadline) {
			return held, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Describe writes a word about the holder into the file, for those who find it locked.
func (l *Lock) Describe() {
	if l.file.Truncate(0) == nil {
		_, _ = l.file.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
}

// Free lets go of the lock.
func (l *Lock) Free() {
	_ = release(l.file)
	_ = l.file.Close()
}
