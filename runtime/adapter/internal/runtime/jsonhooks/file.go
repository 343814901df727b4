// Package jsonhooks installs hooks in a JSON file that may be the user's: it adds and removes its own entries and keeps
// every other byte. Uninstall gives back exactly the bytes that Install found.
package jsonhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/workspace"
)

// Shape is how a file holds its hooks.
type Shape int

const (
	// MatcherGroups is {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type", "command", "timeout"}]}]}}.
	MatcherGroups Shape = iota
	// Flat is {"version": 1, "hooks": {EVENT: [{"command"}]}}.
	Flat
	// Shells is {"version": 1, "hooks": {EVENT: [{"type", "bash", "powershell", "timeoutSec"}]}}.
	Shells
)

// File is the file of hooks of one agent.
type File struct {
	// Agent is the ID of the adapter.
	Agent string
	// Path is the file, below the workspace and with slashes.
	Path string
	// Shape is how the agent wants its hooks.
	Shape Shape
	// Timeout is how long the agent waits for a hook, written in whole Units; zero writes none.
	Timeout, Unit time.Duration
	// Events are the hooks to install.
	Events []hookevent.Event
}

// Install adds the hooks, and takes older ones of the same agent away. A file that has them already is not written.
func (f File) Install(ctx context.Context, workspacePath string) error {
	if err := hookevent.Check(f.Events, f.Timeout, f.Unit); err != nil {
		return err
	}
	file, content, err := f.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	text, err := f.installed(content.Text, content.Found)
	if err != nil {
		return refused(file, err)
	}
	if content.Found && string(text) == string(content.Text) {
		return nil
	}
	return file.Write(text, content.Mode)
}

// Uninstall takes the hooks away. A file that Install created is removed.
func (f File) Uninstall(ctx context.Context, workspacePath string) error {
	file, content, err := f.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	if !content.Found {
		return file.Forget()
	}
	text, ours, err := f.uninstalled(content.Text)
	switch {
	case err != nil:
		return refused(file, err)
	case ours:
		return file.Remove()
	case string(text) == string(content.Text):
		return nil
	}
	return file.GiveBack(text, content.Mode)
}

// Installed reports whether a hook of this agent is in the file.
func (f File) Installed(ctx context.Context, workspacePath string) (bool, error) {
	file, content, err := f.read(ctx, workspacePath)
	if err != nil || !content.Found {
		return false, err
	}
	found, err := f.present(content.Text)
	if err != nil {
		return false, refused(file, err)
	}
	return len(found) > 0, nil
}

func (f File) read(ctx context.Context, workspacePath string) (workspace.File, workspace.Content, error) {
	if err := ctx.Err(); err != nil {
		return workspace.File{}, workspace.Content{}, err
	}
	if f.Agent == "" {
		return workspace.File{}, workspace.Content{}, errors.New("the hooks have no agent")
	}
	file, err := workspace.At(workspacePath, f.Path)
	if err != nil {
		return file, workspace.Content{}, err
	}
	content, err := file.Read()
	return file, content, err
}

func refused(file workspace.File, err error) error {
	return fmt.Errorf("`%s` was not changed: %w; correct the file or move it away", file.Path(), err)
}
