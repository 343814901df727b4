package domain

import "fmt"

// PermissionMode says what an agent may do without asking.
type PermissionMode string

// The permission modes.
const (
	PermissionModeDefault           PermissionMode = "default"
	PermissionModeAcceptEdits       PermissionMode = "accept-edits"
	PermissionModeAuto              PermissionMode = "auto"
	PermissionModeBypassPermissions PermissionMode = "bypass-permissions"
)

// Valid reports whether m is a permission mode or empty, which means the default.
func (m PermissionMode) Valid() bool {
	switch m {
	case "", PermissionModeDefault, PermissionModeAcceptEdits, PermissionModeAuto, PermissionModeBypassPermissions:
		return true
	}
	return false
}

// AgentConfig is the configuration of an agent in one project.
type AgentConfig struct {
	Model       string         `json:"model,omitempty"`
	Mode        string         `json:"mode,omitempty"`
	Permissions PermissionMode `json:"permissions,omitempty"`
}

// IsZero reports whether nothing is configured.
func (c AgentConfig) IsZero() bool {
	return c == AgentConfig{}
}

// Validate refuses a mode or a permission mode that does not exist.
func (c AgentConfig) Validate() error {
	switch c.Mode {
	case "", "low", "medium", "high", "ultra":
	default:
		return fmt.Errorf("mode %q does not exist; use low, medium, high or ultra", c.Mode)
	}
	if !c.Permissions.Valid() {
		return fmt.Errorf("permissions %q do not exist; use default, accept-edits, auto or bypass-permissions", c.Permissions)
	}
	return nil
}
