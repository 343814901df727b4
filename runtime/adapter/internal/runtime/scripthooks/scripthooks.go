// Package scripthooks installs one executable script for each event of the agent.
package scripthooks

import (
	"context"
	"path"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/ownedfile"
)

// Directory is where the agent looks for scripts. The name of a script is that of the native event.
type Directory struct {
	// Agent is the ID of the adapter.
	Agent string
	// Path is below the workspace, with slashes.
	Path string
	// Reply is one line that the agent wants from every script; empty is no output at all.
	Reply string
	// Events are the hooks to install.
	Events []hookevent.Event
}

// Install writes the scripts. When one of the names is taken by the user, none is written.
func (d Directory) Install(ctx context.Context, workspacePath string) error {
	if err := hookevent.Check(d.Events, 0, 0); err != nil {
		return err
	}
	for _, file := range d.files() {
		if err := file.Check(ctx, workspacePath); err != nil {
			return err
		}
	}
	for _, file := range d.files() {
		if err := file.Install(ctx, workspacePath); err != nil {
			return err
		}
	}
	return nil
}

// Uninstall removes the scripts that belong to the orchestrator.
func (d Directory) Uninstall(ctx context.Context, workspacePath string) error {
	for _, file := range d.files() {
		if err := file.Uninstall(ctx, workspacePath); err != nil {
			return err
		}
	}
	return nil
}

// Installed reports whether one of the scripts is there.
func (d Directory) Installed(ctx context.Context, workspacePath string) (bool, error) {
	for _, file := range d.files() {
		if installed, err := file.Installed(ctx, workspacePath); installed || err != nil {
			return installed, err
		}
	}
	return false, nil
}

func (d Directory) files() []ownedfile.File {
	var files []ownedfile.File
	sentinel := "# managed by agent-orchestrator: " + d.Agent + " hook"
	for _, event := range d.Events {
		files = append(files, ownedfile.File{
			Path:     path.Join(d.Path, event.Native),
			Sentinel: sentinel,
			Text:     d.script(sentinel, event),
			Mode:     0o700,
		})
	}
	return files
}

// script reports the event, prints nothing but the reply, and always succeeds: a hook must never stop the agent.
func (d Directory) script(sentinel string, event hookevent.Event) string {
	lines := []string{"#!/bin/sh", sentinel, hookevent.Command(d.Agent, event.Name) + " >/dev/null 2>&1 || :"}
	if d.Reply != "" {
		lines = append(lines, "printf '%s\\n' '"+strings.ReplaceAll(d.Reply, "'", `'\''`)+"'")
	}
	return strings.Join(append(lines, "exit 0"), "\n") + "\n"
}
