package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"aos.invalid/tool/internal/runtime/fault"
)

// ReadBounded reads a regular file of at most limit bytes.
func ReadBounded(path string, limit int64) ([]byte, error) {
	err := CheckRegular(path)
	if errors.Is(err, syscall.ENOTDIR) {
		// Whether the directory can be used is found out by those who write there.
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return content, err
}

// CheckRegular inspects a path before it is opened, because opening a pipe would wait for its other end.
func CheckRegular(path string) error {
	information, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !information.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	return nil
}

// MakeHome creates the directory of state, for this user alone.
func (c *Config) MakeHome() error {
	return MakePrivate(c.Home)
}

// MakePrivate creates a directory for this user alone.
func MakePrivate(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return WriteFault(path, err)
	}
	return nil
}

// WritePrivate replaces a file at once, readable by this user alone.
func WritePrivate(path string, content []byte) error {
	if err := MakePrivate(filepath.Dir(path)); err != nil {
		return err
	}
	// CreateTemp makes the file with mode 0600.
	staged, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return WriteFault(path, err)
	}
	_, err = staged.Write(content)
	if err == nil {
		err = staged.Sync()
	}
	if closeError := staged.Close(); err == nil {
		err = closeError
	}
	if err == nil {
		err = os.Rename(staged.Name(), path)
	}
	if err != nil {
		_ = os.Remove(staged.Name())
		return WriteFault(path, err)
	}
	return nil
}

// WriteFault says why a path cannot be written, as a fault that names the repair.
func WriteFault(path string, err error) *fault.Error {
	code, fix := fault.IO, "Repair the file system, then run the command again"
	switch {
	case errors.Is(err, fs.ErrPermission):
		code, fix = fault.Forbidden, "Change the owner or the permissions of the path, then run the command again"
	case errors.Is(err, syscall.ENOSPC):
		fix = "Free some space on the disk, then run the command again"
	}
	return fault.New(code, "`%s` cannot be written: %v", path, reason(err)).WithFix("%s", fix).
		With("path", path).Because(err)
}

// reason leaves out what the message says already.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// IsOpenToOthers reports whether other users can read a file; Windows has other rules and keeps homes closed.
func IsOpenToOthers(information fs.FileInfo) bool {
	return runtime.GOOS != "windows" && information.Mode().Perm()&0o077 != 0
}
