package testkit

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// Adapter is what every adapter has: the port, the optional parts that the registry asks for, and the removal of hooks.
type Adapter interface {
	adapters.Adapter
	ports.Agent
	ports.AgentAuthChecker
	ports.AgentBinaryResolver
	ports.ActivitySignaler
	UninstallHooks(ctx context.Context, workspacePath string) error
	AreHooksInstalled(ctx context.Context, workspacePath string) (bool, error)
}

// Install puts a program on an otherwise empty PATH, in an empty home, and returns its path.
func Install(t *testing.T, name string) string {
	t.Helper()
	directory := emptyMachine(t)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// emptyMachine has no program and no home of a user. It returns the one directory of its PATH.
func emptyMachine(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	t.Setenv("PATH", directory)
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "VOLTA_HOME", "NVM_DIR", "FNM_DIR"} {
		t.Setenv(name, filepath.Join(directory, "home"))
	}
	return directory
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
