package acme

import (
	"context"
	"fmt"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/jsonhooks"
)

// events are the hooks of the agent, and the events of the orchestrator that they report.
var events = []hookevent.Event{
	{Native: "SessionStart", Name: "session-start", Matcher: "startup"},
	{Native: "UserPromptSubmit", Name: "user-prompt-submit"},
	{Native: "PermissionRequest", Name: "permission-request"},
	{Native: "Stop", Name: "stop"},
	{Native: "SessionEnd", Name: "session-end"},
}

// hooks describes the location of the agent's hooks. The timeout is in seconds.
var hooks = jsonhooks.File{
	Agent: ID,
	Path:  ".acme/hooks.json",
	Shape: jsonhooks.MatcherGroups,

	Timeout: 30 * time.Second,
	Unit:    time.Second,

	Events: events,
}

// GetAgentHooks installs the hooks in the workspace and keeps the user's settings.
func (p *Plugin) GetAgentHooks(ctx context.Context, cfg ports.WorkspaceHookConfig) error {
	if err := hooks.Install(ctx, cfg.WorkspacePath); err != nil {
		return fmt.Errorf("%s: install hooks: %w", ID, err)
	}
	return nil
}

// UninstallHooks removes the hooks from the workspace and keeps the user's settings.
func (p *Plugin) UninstallHooks(ctx context.Context, workspacePath string) error {
	if err := hooks.Uninstall(ctx, workspacePath); err != nil {
		return fmt.Errorf("%s: remove hooks: %w", ID, err)
	}
	return nil
}

// AreHooksInstalled reports whether a hook of this adapter is in the workspace.
func (p *Plugin) AreHooksInstalled(ctx context.Context, workspacePath string) (bool, error) {
	installed, err := hooks.Installed(ctx, workspacePath)
	if err != nil {
		return false, fmt.Errorf("%s: look for hooks: %w", ID, err)
	}
	return installed, nil
}
