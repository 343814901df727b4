package commands_test

import (
	"os"
	"testing"

	"aos.invalid/tool/internal/commands"
	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

// codes are exit and retryable of every code, written down by hand from .agent/CLI-SPEC.md and contract/contract-ext.json.
// The guard compares them with what the tool says and does.
var codes = map[string]testkit.Code{
	"E_INTEGRITY":             {1, false},
	"E_IO":                    {1, false},
	"E_UNKNOWN":               {1, false},
	"E_USAGE":                 {2, false},
	"E_VALIDATION":            {2, false},
	"E_NOT_FOUND":             {3, false},
	"E_AUTH":                  {4, false},
	"E_CONFIG":                {4, false},
	"E_FORBIDDEN":             {4, false},
	"E_CONFIRMATION_REQUIRED": {5, false},
	"E_CONFLICT":              {6, false},
	"E_NETWORK":               {7, true},
	"E_RATE_LIMITED":          {7, true},
	"E_SERVER":                {7, true},
	"E_SKILL_SYNC":            {7, true},
	"E_TIMEOUT":               {8, true},
	"E_HUMAN_REQUIRED":        {9, false},
	"E_INTERRUPTED":           {130, true},
}

// TestMain also runs the guard: after all tests, it names each command and flag of this tool that no test has called.
func TestMain(m *testing.M) {
	os.Exit(testkit.Main(m, commands.Tool(), codes))
}

// newTool is the tool with an account that may do everything, against a mock of its own.
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
