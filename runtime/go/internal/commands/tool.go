// Package commands has the commands of this tool and its description. The rest of the command line (help,
// reference, previews, tokens, audit log, update) is in internal/runtime.
package commands

import (
	"slices"

	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/rest"
)

// Tool returns everything in which this tool differs from others.
func Tool() *cli.Tool {
	return &cli.Tool{
		Groups: map[string]string{
			"item":    "Work with items",
			"project": "Work with projects",
			// Jobs that take long.
			"export": "Export in the background",
			"job":    "Show jobs in the background",
			// Steps for a person.
			"approval": "Continue after a person has decided",
		},
		Commands: slices.Concat(
			itemQueries(),
			itemWrites(),
			projectQueries(),
			jobCommands(),
			approvalCommands(),
		),
		Schemas: slices.Concat(
			itemSchemas(),
			projectSchemas(),
			jobSchemas(),
		),
		// The mock has no public address; put the address of your API here.
		BaseURL: "",
		Tier:    "T2",
		// Raise it to stable when docs/E2E.md records a live run of the release.
		Readiness: cli.Readiness{
			Level:               "beta",
			Reason:              "Tested against the mock upstream; no live run is recorded yet",
			FCCRequired:         true,
			MockRequired:        true,
			LiveSmokeForStable:  true,
			FCCStatus:           "verified",
			MockUpstreamStatus:  "verified",
			LiveSmokeStatus:     "missing",
			RequiredEvidence:    []string{"internal/commands/guard_test.go", "internal/runtime/CONFORMANCE.md", "docs/E2E.md"},
			LiveSmokeRecordPath: "docs/E2E.md",
		},
		Connect: func(connection rest.Connection) cli.Upstream { return client.New(connection) },
		Renew:   rest.RefreshGrant("oauth", "token"),
	}
}

// upstream is the client of the API.
func upstream(call *cli.Call) (*client.Client, error) {
	return cli.ClientOf[*client.Client](call)
}
