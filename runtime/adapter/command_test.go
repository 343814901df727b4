package acme

import (
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"
)

// commands are sessions and the words of their command lines, separated by ` ; `.
var commands = []testkit.Command{
	{
		Name: "launch default",

		Prompt: "Fix the bug",

		Want: `{binary} ; -- ; Fix the bug`,
	},
	{
		Name: "launch accept-edits",

		Permissions: ports.PermissionModeAcceptEdits,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; accept-edits ; -- ; Fix the bug`,
	},
	{
		Name: "launch auto",

		Permissions: ports.PermissionModeAuto,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; auto ; -- ; Fix the bug`,
	},
	{
		Name: "launch bypass-permissions",

		Permissions: ports.PermissionModeBypassPermissions,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; bypass ; -- ; Fix the bug`,
	},
	{
		Name: "launch configured",

		Configured: ports.PermissionModeAuto,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; auto ; -- ; Fix the bug`,
	},
	{
		Name: "launch model",

		Permissions: ports.PermissionModeDefault,

		Model: " m-1 ",
		Mode:  "high",

		Prompt: "Fix the bug",

		Want: `{binary} ; --model ; m-1 ; -- ; Fix the bug`,
	},
	{
		Name: "launch system prompt",

		SystemPrompt: "Be brief",

		Prompt: "Fix the bug",

		Want: `{binary} ; --append-system-prompt ; Be brief ; -- ; Fix the bug`,
	},
	{
		Name: "launch system prompt file",

		SystemPromptFile: "Be polite\n",

		Prompt: "Fix the bug",

		Want: `{binary} ; --append-system-prompt ; Be polite ; -- ; Fix the bug`,
	},
	{
		Name: "launch tools",

		Tools: true,

		Prompt: "Fix the bug",

		Want: `{binary} ; -- ; Fix the bug`,
	},
	{
		Name: "launch everything",

		Permissions: ports.PermissionModeBypassPermissions,
		Configured:  ports.PermissionModeAcceptEdits,

		Model: " m-1 ",
		Mode:  "high",

		SystemPrompt: "Be brief",

		Tools: true,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; bypass ; --model ; m-1 ; --append-system-prompt ; Be brief ; -- ; Fix the bug`,
	},
	{
		Name: "restore default",

		Restore: true,

		Prompt: "Fix the bug",

		Want: `{binary} ; --resume ; n-1`,
	},
	{
		Name: "restore accept-edits",

		Restore: true,

		Permissions: ports.PermissionModeAcceptEdits,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; accept-edits ; --resume ; n-1`,
	},
	{
		Name: "restore auto",

		Restore: true,

		Permissions: ports.PermissionModeAuto,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; auto ; --resume ; n-1`,
	},
	{
		Name: "restore bypass-permissions",

		Restore: true,

		Permissions: ports.PermissionModeBypassPermissions,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; bypass ; --resume ; n-1`,
	},
	{
		Name: "restore configured",

		Restore: true,

		Configured: ports.PermissionModeAuto,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; auto ; --resume ; n-1`,
	},
	{
		Name: "restore model",

		Restore: true,

		Permissions: ports.PermissionModeDefault,

		Model: " m-1 ",
		Mode:  "high",

		Prompt: "Fix the bug",

		Want: `{binary} ; --model ; m-1 ; --resume ; n-1`,
	},
	{
		Name: "restore system prompt",

		Restore: true,

		SystemPrompt: "Be brief",

		Prompt: "Fix the bug",

		Want: `{binary} ; --append-system-prompt ; Be brief ; --resume ; n-1`,
	},
	{
		Name: "restore system prompt file",

		Restore: true,

		SystemPromptFile: "Be polite\n",

		Prompt: "Fix the bug",

		Want: `{binary} ; --append-system-prompt ; Be polite ; --resume ; n-1`,
	},
	{
		Name: "restore tools",

		Restore: true,

		Tools: true,

		Prompt: "Fix the bug",

		Want: `{binary} ; --resume ; n-1`,
	},
	{
		Name: "restore everything",

		Restore: true,

		Permissions: ports.PermissionModeBypassPermissions,
		Configured:  ports.PermissionModeAcceptEdits,

		Model: " m-1 ",
		Mode:  "high",

		SystemPrompt: "Be brief",

		Tools: true,

		Prompt: "Fix the bug",

		Want: `{binary} ; --permission-mode ; bypass ; --model ; m-1 ; --append-system-prompt ; Be brief ; --resume ; n-1`,
	},
}

func TestEachSessionHasItsCommandLine(t *testing.T) {
	testkit.CommandsMatch(t, create, wantBinary, commands)
}

func TestAPromptIsNeverAFlag(t *testing.T) {
	testkit.PromptsAreNeverFlags(t, create, wantBinary, ports.PromptDeliveryInCommand)
}

func TestOnlyAKnownSessionIsRestored(t *testing.T) {
	testkit.OnlyKnownSessionsAreRestored(t, create, wantBinary)
}

func TestAnInvalidConfigurationIsRefused(t *testing.T) {
	testkit.InvalidConfigurationIsRefused(t, create, wantBinary)
}
