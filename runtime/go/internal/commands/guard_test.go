package commands_test

import (
	"os"
	"testing"

	"aos.invalid/tool/internal/commands"
	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

// codes has exit code and retryable of every code, written by hand from .agent/CLI-SPEC.md and contract/contract-ext.json.
// The guard compares them with the behaviour of the tool.
var codes = map[string]testkit.Code{
	"E_INTEGRITY":             {Exit: 1, Retryable: false},
	"E_IO":                    {Exit: 1, Retryable: false},
	"E_UNKNOWN":               {Exit: 1, Retryable: false},
	"E_USAGE":                 {Exit: 2, Retryable: false},
	"E_VALIDATION":            {Exit: 2, Retryable: false},
	"E_NOT_FOUND":             {Exit: 3, Retryable: false},
	"E_AUTH":                  {Exit: 4, Retryable: false},
	"E_CONFIG":                {Exit: 4, Retryable: false},
	"E_FORBIDDEN":             {Exit: 4, Retryable: false},
	"E_CONFIRMATION_REQUIRED": {Exit: 5, Retryable: false},
	"E_CONFLICT":              {Exit: 6, Retryable: false},
	"E_NETWORK":               {Exit: 7, Retryable: true},
	"E_RATE_LIMITED":          {Exit: 7, Retryable: true},
	"E_SERVER":                {Exit: 7, Retryable: true},
	"E_SKILL_SYNC":            {Exit: 7, Retryable: true},
	"E_TIMEOUT":               {Exit: 8, Retryable: true},
	"E_HUMAN_REQUIRED":        {Exit: 9, Retryable: false},
	"E_INTERRUPTED":           {Exit: 130, Retryable: true},
}

// TestMain also runs the guard: after all tests, it names each command and flag of this tool that no test has called.
func TestMain(m *testing.M) {
	os.Exit(testkit.Main(m, commands.Tool(), codes))
}

// newTool returns the tool with an account that has every permission, and a new mock.
func newTool(t *testing.T) *testkit.Tool[*mock.API] {
	t.Helper()
	return testkit.New(t, mock.New(), mock.TokenAlice)
}

func TestTheReferenceDescribesTheTool(t *testing.T) {
	t.Parallel()
	testkit.CheckReference(newTool(t))
}

func TestTheRuntimeIsTheRecordedOne(t *testing.T) {
	t.Parallel()
	testkit.CheckRuntime(t)
}
