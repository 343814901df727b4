package update

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/process"
)

const (
	startLimit    = 10 * time.Second
	busyRetries   = 20
	stagedSuffix  = ".new"
	asideSuffix   = ".old"
	maxVersionLen = 200
)

// executable is the program that runs, where its name leads.
type executable struct {
	path string
	mode os.FileMode
}

func findExecutable() (*executable, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, fault.New(fault.IO, "the running program cannot be found: %v", err).
			WithFix("Install it again")
	}
	information, err := os.Stat(path)
	if err != nil {
		return nil, localFault(path, err)
	}
	return &executable{path: path, mode: information.Mode().Perm()}, nil
}

// stagingPath is a new name beside the program: on the same file system, so that the swap is one rename.
func (e *executable) stagingPath(suffix string) string {
	unique := make([]byte, 8)
	_, _ = rand.Read(unique)
	return filepath.Join(filepath.Dir(e.path), "."+about.Tool+"."+hex.EncodeToString(unique)+suffix)
}

// probe finds out whether the program can be replaced, before anything is downloaded.
func (e *executable) probe() error {
	path := e.stagingPath(stagedSuffix)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_ = file.Close()
		return os.Remove(path)
	}
	failed := fault.From(localFault(filepath.Dir(e.path), err))
	if failed.Code == fault.Forbidden {
		failed.Fix = "Run the update as the owner of the directory, or install " + about.Tool + " where you may write, such as ~/.local/bin"
	}
	return failed
}

// sweep removes what an interrupted update left beside the program. Leftovers are never used.
func (e *executable) sweep() {
	entries, err := os.ReadDir(filepath.Dir(e.path))
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		ours := strings.HasPrefix(name, "."+about.Tool+".") &&
			(strings.HasSuffix(name, stagedSuffix) || strings.HasSuffix(name, asideSuffix))
		if ours && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(filepath.Dir(e.path), name))
		}
	}
}

// stage makes a new program durable, with the mode of the old one.
func (e *executable) stage(path string) error {
	// Rights of the old program are kept, special bits are not.
	if err := os.Chmod(path, e.mode|0o100); err != nil {
		return localFault(path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return localFault(path, err)
	}
	err = file.Sync()
	if closeError := file.Close(); err == nil {
		err = closeError
	}
	if err != nil {
		return localFault(path, err)
	}
	return nil
}

// versionOf asks a program for its version by running it.
func versionOf(ctx context.Context, path string) (string, error) {
	for attempt := 0; ; attempt++ {
		ending, err := process.Run(ctx, process.Command{
			Program: path, Arguments: []string{"--version"}, Directory: filepath.Dir(path), Limit: patience(startLimit),
		})
		if errors.Is(err, syscall.ETXTBSY) && attempt < busyRetries {
			// A child of another thread may still hold the file open for writing.
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err == nil && ending.Interrupted {
			return "", fault.Cancelled()
		}
		if err == nil && ending.Exit != 0 {
			err = errors.New("its exit code is not 0")
		}
		if err != nil {
			return "", fault.New(fault.Config, "the new program does not start here: %v", err).
				WithFix("Check that the directory allows programs to run and that the system is new enough for this version").Because(err)
		}
		name, version, _ := strings.Cut(ending.Tail, " ")
		if name != about.Tool || len(version) > maxVersionLen {
			return "", integrity("the new program is not %s", about.Tool)
		}
		return version, nil
	}
}

// holds reports whether a path has content of a digest.
func holds(path, digest string) bool {
	found, err := digestOf(path)
	return err == nil && found == digest
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digestOfText(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
