package acme

import (
	"context"
	"fmt"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/argv"
)

// GetLaunchCommand returns the command line of a new session.
func (p *Plugin) GetLaunchCommand(ctx context.Context, cfg ports.LaunchConfig) ([]string, error) {
	session, err := argv.Launched(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ID, err)
	}
	program, err := p.ResolveBinary(ctx)
	if err != nil {
		return nil, err
	}
	line := argv.New(program)
	if err := addSession(line, session); err != nil {
		return nil, fmt.Errorf("%s: %w", ID, err)
	}
	line.PromptBehindDashes(cfg.Prompt)
	return line.Args(), nil
}

// GetRestoreCommand returns the command line that continues a session; ok is false when none can be continued.
func (p *Plugin) GetRestoreCommand(ctx context.Context, cfg ports.RestoreConfig) (cmd []string, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	id, ok := argv.NativeSession(cfg.Session)
	if !ok {
		return nil, false, nil
	}
	session, err := argv.Restored(cfg)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", ID, err)
	}
	program, err := p.ResolveBinary(ctx)
	if err != nil {
		return nil, false, err
	}
	line := argv.New(program)
	if err := addSession(line, session); err != nil {
		return nil, false, fmt.Errorf("%s: %w", ID, err)
	}
	line.Add("--resume", id)
	return line.Args(), true, nil
}

// addSession adds the options that new and continued sessions share. Every option that both need must be here,
// so that a continued session does not lose it.
func addSession(line *argv.Line, session argv.Session) error {
	line.Add(permissionWords(session.Permissions)...)
	line.Option("--model", session.Model())
	systemText, err := session.SystemText()
	if err != nil {
		return err
	}
	line.Option("--append-system-prompt", systemText)
	return nil
}

// permissionWords are the words of each permission mode. A mode that the agent does not have adds no word, so that the
// agent asks.
func permissionWords(mode ports.PermissionMode) []string {
	switch mode {
	case ports.PermissionModeAcceptEdits:
		return []string{"--permission-mode", "accept-edits"}
	case ports.PermissionModeAuto:
		return []string{"--permission-mode", "auto"}
	case ports.PermissionModeBypassPermissions:
		return []string{"--permission-mode", "bypass"}
	}
	return nil
}
