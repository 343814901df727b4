// Package agentbase has defaults for the methods of the port.
package agentbase

import (
	"context"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// ModelConfigSpec describes one optional field: the model.
func ModelConfigSpec(ctx context.Context, description string) (ports.ConfigSpec, error) {
	if err := ctx.Err(); err != nil {
		return ports.ConfigSpec{}, err
	}
	field := ports.ConfigField{Key: "model", Type: ports.ConfigFieldString, Description: description}
	return ports.ConfigSpec{Fields: []ports.ConfigField{field}}, nil
}

// AppendModelFlag adds flag and model when a model is configured.
func AppendModelFlag(cmd *[]string, cfg ports.AgentConfig, flag string) {
	model := strings.TrimSpace(cfg.Model)
	if model == "" {
		return
	}
	*cmd = append(*cmd, flag, model)
}

// Base has a default for every method of the port that an agent may lack. Adapters embed it.
type Base struct{}

// GetConfigSpec describes no fields.
func (Base) GetConfigSpec(ctx context.Context) (ports.ConfigSpec, error) {
	return ports.ConfigSpec{}, ctx.Err()
}

// GetPromptDeliveryStrategy says that the command line has the prompt.
func (Base) GetPromptDeliveryStrategy(ctx context.Context, _ ports.LaunchConfig) (ports.PromptDeliveryStrategy, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return ports.PromptDeliveryInCommand, nil
}

// GetAgentHooks installs nothing.
func (Base) GetAgentHooks(ctx context.Context, _ ports.WorkspaceHookConfig) error {
	return ctx.Err()
}

// GetRestoreCommand says that no session can be continued.
func (Base) GetRestoreCommand(ctx context.Context, _ ports.RestoreConfig) (cmd []string, ok bool, err error) {
	return nil, false, ctx.Err()
}

// SessionInfo knows nothing.
func (Base) SessionInfo(ctx context.Context, _ ports.SessionRef) (ports.SessionInfo, bool, error) {
	return ports.SessionInfo{}, false, ctx.Err()
}

// StandardSessionInfo reads the three metadata keys that hooks fill.
func StandardSessionInfo(session ports.SessionRef) (ports.SessionInfo, bool) {
	info := ports.SessionInfo{
		AgentSessionID: session.Metadata[ports.MetadataKeyAgentSessionID],
		Title:          session.Metadata[ports.MetadataKeyTitle],
		Summary:        session.Metadata[ports.MetadataKeySummary],
	}
	if info.AgentSessionID == "" && info.Title == "" && info.Summary == "" {
		return ports.SessionInfo{}, false
	}
	return info, true
}
