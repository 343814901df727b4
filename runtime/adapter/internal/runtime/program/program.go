// Package program finds the program of an agent and remembers where it is.
package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/binaryutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// Finder remembers the path of one program. It is safe for concurrent use.
type Finder struct {
	mu   sync.Mutex
	path string
}

// Resolve returns the path of the program, or an error that wraps ports.ErrAgentBinaryNotFound. A path that it
// remembers is used while the file is there, so an agent that is updated or moved is found again.
func (f *Finder) Resolve(ctx context.Context, spec binaryutil.BinarySpec) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path != "" && hookutil.FileExists(f.path) {
		return f.path, nil
	}
	path, err := find(ctx, spec)
	if err != nil {
		return "", err
	}
	f.path = path
	return path, nil
}

func find(ctx context.Context, spec binaryutil.BinarySpec) (string, error) {
	if runtime.GOOS == "windows" {
		if path, found := onPath(os.Getenv("PATH"), spec.WinNames); found {
			return path, nil
		}
	}
	path, err := binaryutil.ResolveBinary(ctx, spec)
	if err == nil && runtime.GOOS == "windows" && isStoreStub(path) {
		return "", fmt.Errorf("%s: `%s` is a stub of the Windows store: %w", spec.Label, path, ports.ErrAgentBinaryNotFound)
	}
	return path, err
}

// onPath looks for the names in their order of preference, an .exe before a .cmd, because cmd.exe changes prompts with
// percent signs and line breaks. It passes over stubs of the store.
func onPath(path string, names []string) (string, bool) {
	for _, name := range names {
		for _, directory := range filepath.SplitList(path) {
			candidate := filepath.Join(directory, name)
			if filepath.IsAbs(candidate) && hookutil.FileExists(candidate) && !isStoreStub(candidate) {
				return candidate, true
			}
		}
	}
	return "", false
}

// isStoreStub reports whether a path is one of the empty programs that Windows puts in place of an application.
func isStoreStub(path string) bool {
	parts := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '\\' || r == '/' })
	for _, part := range parts[:max(len(parts)-1, 0)] {
		if part == "windowsapps" {
			return true
		}
	}
	return false
}
