// Package ports has the interfaces between the orchestrator and its adapters.
package ports

import (
	"context"
	"errors"

	"github.com/aoagents/agent-orchestrator/backend/internal/domain"
)

// ErrAgentBinaryNotFound says that the program of an agent is not installed.
var ErrAgentBinaryNotFound = errors.New("agent: binary not found on PATH")

// Agent is the port of a coding agent.
type Agent interface {
	// GetConfigSpec describes what a person can configure.
	GetConfigSpec(ctx context.Context) (ConfigSpec, error)

	// GetLaunchCommand returns the command line of a new session.
	GetLaunchCommand(ctx context.Context, cfg LaunchConfig) (cmd []string, err error)

	// GetPromptDeliveryStrategy says how the prompt reaches the agent.
	GetPromptDeliveryStrategy(ctx context.Context, cfg LaunchConfig) (PromptDeliveryStrategy, error)

	// GetAgentHooks installs the hooks in the workspace and keeps those of the user.
	GetAgentHooks(ctx context.Context, cfg WorkspaceHookConfig) error

	// GetRestoreCommand returns the command line that continues a session; ok is false when none can be continued.
	GetRestoreCommand(ctx context.Context, cfg RestoreConfig) (cmd []string, ok bool, err error)

	// SessionInfo returns what hooks recorded about a session; ok is false when there is nothing.
	SessionInfo(ctx context.Context, session SessionRef) (info SessionInfo, ok bool, err error)
}

// Keys of the session metadata.
const (
	// MetadataKeyAgentSessionID is the session ID of the agent itself.
	MetadataKeyAgentSessionID = "agentSessionId"
	// MetadataKeyTitle is a title for people.
	MetadataKeyTitle = "title"
	// MetadataKeySummary is the last message of the agent.
	MetadataKeySummary = "summary"
)

// AgentConfig is the configuration of an agent in one project.
type AgentConfig = domain.AgentConfig

// ConfigSpec describes the configuration of an agent.
type ConfigSpec struct {
	Fields []ConfigField
}

// ConfigField describes one value of the configuration.
type ConfigField struct {
	Key         string
	Type        ConfigFieldType
	Description string
	Required    bool
	Default     any
	Enum        []string
}

// ConfigFieldType is the type of a configured value.
type ConfigFieldType string

// The types of configured values.
const (
	ConfigFieldString     ConfigFieldType = "string"
	ConfigFieldBool       ConfigFieldType = "bool"
	ConfigFieldNumber     ConfigFieldType = "number"
	ConfigFieldStringList ConfigFieldType = "string_list"
	ConfigFieldEnum       ConfigFieldType = "enum"
)

// LaunchConfig is what a new session is started with.
type LaunchConfig struct {
	Config           AgentConfig
	DataDir          string
	IssueID          string
	Kind             domain.SessionKind
	Permissions      PermissionMode
	Prompt           string
	SessionID        string
	AllowedTools     []string
	DisallowedTools  []string
	SystemPrompt     string
	SystemPromptFile string
	WorkspacePath    string
}

// WorkspaceHookConfig is what hooks are installed with.
type WorkspaceHookConfig struct {
	Config           AgentConfig
	DataDir          string
	Env              map[string]string
	SessionID        string
	SystemPrompt     string
	SystemPromptFile string
	WorkspacePath    string
}

// RestoreConfig is what a session is continued with. It carries no prompt.
type RestoreConfig struct {
	Config           AgentConfig
	DataDir          string
	Kind             domain.SessionKind
	Permissions      PermissionMode
	AllowedTools     []string
	DisallowedTools  []string
	Session          SessionRef
	SystemPrompt     string
	SystemPromptFile string
}

// SessionRef is a session and its metadata.
type SessionRef struct {
	ID            string
	Metadata      map[string]string
	WorkspacePath string
}

// SessionInfo is what is known about a session of the agent.
type SessionInfo struct {
	AgentSessionID string
	Metadata       map[string]string
	Title          string
	Summary        string
}

// PermissionMode says what an agent may do without asking.
type PermissionMode = domain.PermissionMode

// The permission modes.
const (
	PermissionModeDefault           = domain.PermissionModeDefault
	PermissionModeAcceptEdits       = domain.PermissionModeAcceptEdits
	PermissionModeAuto              = domain.PermissionModeAuto
	PermissionModeBypassPermissions = domain.PermissionModeBypassPermissions
)

// NormalizePermissionMode returns mode, or the default for anything that is not a mode.
func NormalizePermissionMode(mode PermissionMode) PermissionMode {
	if mode == "" || !mode.Valid() {
		return PermissionModeDefault
	}
	return mode
}

// PromptDeliveryStrategy says how the prompt reaches the agent.
type PromptDeliveryStrategy string

// The strategies.
const (
	PromptDeliveryInCommand   PromptDeliveryStrategy = "in_command"
	PromptDeliveryAfterStart  PromptDeliveryStrategy = "after_start"
	PromptDeliveryCustomAgent PromptDeliveryStrategy = "custom_agent"
)
