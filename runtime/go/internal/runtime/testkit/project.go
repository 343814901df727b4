package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lockFile has the digest of every file that aos wrote.
const lockFile = ".agent/spec.lock"

const runtimeDirectory = "internal/runtime/"

var lockedFile = regexp.MustCompile(`(?m)^"([^"]+)" = "sha256:([0-9a-f]{64})"$`)

// Root is the directory of the project: the nearest one with a go.mod.
func Root(t *testing.T) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			t.Fatal("there is no go.mod above the test")
		}
		directory = parent
	}
}

// CheckRuntime holds each file of internal/runtime against the digest in .agent/spec.lock. `aos check` says more, and
// `aos sync-spec` puts the recorded files back.
func CheckRuntime(t *testing.T) {
	t.Helper()
	root := Root(t)
	lock, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(lockFile)))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(root, "runtime.toml")); err == nil {
			t.Skip("this is the source of the runtime; nothing is vendored here")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, found := range lockedFile.FindAllStringSubmatch(string(lock), -1) {
		path, digest := found[1], found[2]
		if !strings.HasPrefix(path, runtimeDirectory) {
			continue
		}
		count++
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		sum := sha256.Sum256(content)
		if err != nil || hex.EncodeToString(sum[:]) != digest {
			t.Errorf("`%s` is not the recorded file; run `aos sync-spec`, or `aos runtime own` to make it yours", path)
		}
	}
	if count == 0 {
		t.Errorf("%s records no file of %s", lockFile, runtimeDirectory)
	}
}
