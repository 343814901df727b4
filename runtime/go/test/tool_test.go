package test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

// tool is the program of the example in a sandbox of its own.
type tool = testkit.Tool[*mock.API]

// newTool makes a sandbox whose account may do everything.
func newTool(t *testing.T) *tool {
	t.Helper()
	made := testkit.New(t, mock.New(), mock.TokenAlice)
	made.Program = program
	return made
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	// A child that is forked meanwhile would keep the file open, and a program that is open cannot be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
