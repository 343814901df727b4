// Package ownedfile has files that the orchestrator writes as a whole. A sentinel in the first lines says so; a file of
// that name without it is the user's and is never overwritten.
package ownedfile

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/workspace"
)

// sentinelLines is how far into a file the sentinel is looked for.
const sentinelLines = 12

// File is a file of the orchestrator below the workspace.
type File struct {
	// Path is below the workspace, with slashes.
	Path string
	// Sentinel is a whole line of the file.
	Sentinel string
	// Text is the file.
	Text string
	// Mode is that of the file; zero is 0600.
	Mode fs.FileMode
}

// Check makes sure that the file can be written.
func (f File) Check(ctx context.Context, workspacePath string) error {
	_, content, err := f.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	if content.Found && !f.owns(content.Text) {
		file, _ := workspace.At(workspacePath, f.Path)
		return fmt.Errorf("`%s` was not changed: it is not a file of the orchestrator; move it away", file.Path())
	}
	return nil
}

// Install writes the file, unless it is there with these bytes and this mode.
func (f File) Install(ctx context.Context, workspacePath string) error {
	if err := f.Check(ctx, workspacePath); err != nil {
		return err
	}
	file, content, err := f.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	if content.Found && string(content.Text) == f.Text && content.Mode == f.mode() {
		return nil
	}
	return file.Write([]byte(f.Text), f.mode())
}

// Uninstall removes the file. A file of the user stays.
func (f File) Uninstall(ctx context.Context, workspacePath string) error {
	file, content, err := f.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	if !content.Found {
		return file.Forget()
	}
	if !f.owns(content.Text) {
		return nil
	}
	return file.Remove()
}

// Installed reports whether the file is there and belongs to the orchestrator.
func (f File) Installed(ctx context.Context, workspacePath string) (bool, error) {
	_, content, err := f.read(ctx, workspacePath)
	return err == nil && content.Found && f.owns(content.Text), err
}

func (f File) mode() fs.FileMode {
	if f.Mode == 0 {
		return 0o600
	}
	return f.Mode
}

func (f File) owns(text []byte) bool {
	for number, line := range bytes.Split(text, []byte("\n")) {
		if number == sentinelLines {
			break
		}
		if strings.TrimSpace(string(line)) == f.Sentinel {
			return true
		}
	}
	return false
}

func (f File) read(ctx context.Context, workspacePath string) (workspace.File, workspace.Content, error) {
	if err := ctx.Err(); err != nil {
		return workspace.File{}, workspace.Content{}, err
	}
	file, err := workspace.At(workspacePath, f.Path)
	if err != nil {
		return file, workspace.Content{}, err
	}
	content, err := file.Read()
	return file, content, err
}
