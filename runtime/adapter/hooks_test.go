package acme

import (
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"
)

// written is the content of the hooks in a workspace that has none.
var written = testkit.Written{
	Files: map[string]string{
		".acme/hooks.json": `{
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "ao hooks acme session-start", "timeout": 30}]}
    ],
    "UserPromptSubmit": [
      {"hooks": [{"type": "command", "command": "ao hooks acme user-prompt-submit", "timeout": 30}]}
    ],
    "PermissionRequest": [
      {"hooks": [{"type": "command", "command": "ao hooks acme permission-request", "timeout": 30}]}
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "ao hooks acme stop", "timeout": 30}]}
    ],
    "SessionEnd": [
      {"hooks": [{"type": "command", "command": "ao hooks acme session-end", "timeout": 30}]}
    ]
  }
}
`,
	},
}

func TestHooksAreInstalledOnceAndRemoved(t *testing.T) {
	testkit.HooksMatch(t, New(), written)
}

func TestHooksNeedAWorkspace(t *testing.T) {
	testkit.WorkspaceIsRequired(t, New())
}

func TestEveryEventArrives(t *testing.T) {
	testkit.EventsArrive(t, create, testkit.Delivery{
		Family: testkit.JSON,
		Path:   ".acme/hooks.json",
		Binary: wantBinary,
		Events: []testkit.Event{
			{Native: "SessionStart", Name: "session-start", Matcher: "startup"},
			{Native: "UserPromptSubmit", Name: "user-prompt-submit"},
			{Native: "PermissionRequest", Name: "permission-request"},
			{Native: "Stop", Name: "stop"},
			{Native: "SessionEnd", Name: "session-end"},
		},
	})
}

func TestWhatTheUserHasStays(t *testing.T) {
	testkit.UserTextSurvives(t, New(), ".acme/hooks.json", testkit.JSONDocuments)
	testkit.RefusedTextSurvives(t, New(), ".acme/hooks.json", testkit.JSONRefusals)
}

func FuzzMerge(f *testing.F) {
	for _, document := range append(testkit.JSONRefusals, testkit.JSONDocuments...) {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		testkit.MergeHolds(t, New(), ".acme/hooks.json", document)
	})
}

func TestALinkIsNotFollowed(t *testing.T) {
	testkit.LinksAreRefused(t, New(), ".acme/hooks.json")
}
