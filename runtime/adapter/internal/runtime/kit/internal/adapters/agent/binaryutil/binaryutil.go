// Package binaryutil finds the program of an agent.
package binaryutil

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// BinarySpec says where the program of an agent can be. PATH is searched first.
type BinarySpec struct {
	// Label begins the error.
	Label string
	// Names are looked up on PATH, except on Windows.
	Names []string
	// WinNames are looked up on PATH on Windows.
	WinNames []string
	// UnixPaths are absolute.
	UnixPaths []string
	// UnixHomePaths are below the home directory, as components.
	UnixHomePaths [][]string
	// WinPaths are tried in this order.
	WinPaths []WinPath
	// NodeManaged adds the directories of Node version managers.
	NodeManaged bool
}

// WinBase is a directory of Windows that a path begins with.
type WinBase int

// The directories.
const (
	WinAppData WinBase = iota
	WinLocalAppData
	WinHome
)

// WinPath is a path below a directory of Windows.
type WinPath struct {
	Base  WinBase
	Parts []string
}

// ResolveBinary returns the path of the program, or an error that wraps ports.ErrAgentBinaryNotFound.
func ResolveBinary(ctx context.Context, spec BinarySpec) (string, error) {
	names := spec.Names
	if runtime.GOOS == "windows" {
		names = spec.WinNames
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if path, err := exec.LookPath(name); err == nil && path != "" {
			return path, nil
		}
	}
	candidates, err := spec.candidates(ctx)
	if err != nil {
		return "", err
	}
	for _, path := range candidates {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if hookutil.FileExists(path) {
			return path, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s: %w", spec.Label, ports.ErrAgentBinaryNotFound)
}

func (spec BinarySpec) candidates(ctx context.Context) ([]string, error) {
	if runtime.GOOS == "windows" {
		return spec.windowsCandidates(), nil
	}
	candidates := slices.Clone(spec.UnixPaths)
	home, err := os.UserHomeDir()
	if err != nil {
		return candidates, nil //nolint:nilerr // without a home directory the absolute paths remain
	}
	for _, parts := range spec.UnixHomePaths {
		candidates = append(candidates, filepath.Join(append([]string{home}, parts...)...))
	}
	if !spec.NodeManaged {
		return candidates, nil
	}
	managed, err := UnixNodeManagerBinCandidates(ctx, home, spec.Names...)
	return append(candidates, managed...), err
}

func (spec BinarySpec) windowsCandidates() []string {
	home, _ := os.UserHomeDir()
	bases := map[WinBase]string{
		WinAppData:      os.Getenv("APPDATA"),
		WinLocalAppData: os.Getenv("LOCALAPPDATA"),
		WinHome:         home,
	}
	var candidates []string
	for _, path := range spec.WinPaths {
		if base := bases[path.Base]; base != "" {
			candidates = append(candidates, filepath.Join(append([]string{base}, path.Parts...)...))
		}
	}
	return candidates
}

// NodeManagedUnixHomePaths returns where npm puts programs below the home directory, then the extra paths.
func NodeManagedUnixHomePaths(binary string, extras ...[]string) [][]string {
	paths := [][]string{
		{".npm-global", "bin", binary},
		{".npm", "bin", binary},
		{".local", "bin", binary},
	}
	return append(paths, extras...)
}

// UnixNodeManagerBinCandidates returns where Volta, nvm and fnm put programs, newest Node first.
func UnixNodeManagerBinCandidates(ctx context.Context, home string, names ...string) ([]string, error) {
	directory := func(variable string, parts ...string) string {
		if value := os.Getenv(variable); value != "" {
			return value
		}
		return filepath.Join(append([]string{home}, parts...)...)
	}
	var candidates []string
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		candidates = append(candidates, filepath.Join(directory("VOLTA_HOME", ".volta"), "bin", name))
		patterns := []string{
			filepath.Join(directory("NVM_DIR", ".nvm"), "versions", "node", "*", "bin", name),
			filepath.Join(directory("FNM_DIR", ".local", "share", "fnm"), "node-versions", "*", "installation", "bin", name),
		}
		for _, pattern := range patterns {
			found, err := filepath.Glob(pattern)
			if err != nil {
				continue
			}
			slices.SortFunc(found, func(a, b string) int { return compareVersions(b, a) })
			candidates = append(candidates, found...)
		}
	}
	return candidates, nil
}

// compareVersions orders paths so that v9 comes before v10: a longer run of digits is the larger number.
func compareVersions(a, b string) int {
	digits := func(text string) int {
		return strings.IndexFunc(text+"x", func(r rune) bool { return r < '0' || r > '9' })
	}
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			if order := x - y; order != 0 {
				return order
			}
			if order := strings.Compare(a[:x], b[:y]); order != 0 {
				return order
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}
