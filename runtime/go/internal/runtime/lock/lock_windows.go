package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// A byte far behind the content, so that the holder's note stays readable.
func region() *windows.Overlapped {
	return &windows.Overlapped{Offset: 1 << 30}
}

func acquire(file *os.File) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, region())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}

func release(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, region())
}
