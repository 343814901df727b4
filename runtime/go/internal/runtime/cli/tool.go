// Package cli is the command line of a tool: one registry of commands, one gate for writes, one function that ends a
// run. It has no command of a particular API; those are in the Tool.
package cli

import (
	"context"
	"maps"
	"slices"

	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/rest"
	"aos.invalid/tool/internal/runtime/update"
)

// Tool is everything that makes one tool differ from another. Help, reference, the write gate, the audit log and the
// guard of the tests all read it.
type Tool struct {
	// Groups has one line for each first word of a path.
	Groups map[string]string
	// Commands are those of the tool; auth and the commands about the tool itself are added.
	Commands []*Command
	// Schemas are the shapes of the data that the commands name as their output.
	Schemas []Schema
	// BaseURL is the default address of the API; empty if there is none.
	BaseURL string
	// Tier is the risk of the tool: T0 reads, T1 writes or handles credentials, T2 has actions that cannot be undone.
	Tier string
	// Readiness is the release gate as data.
	Readiness Readiness
	// Connect makes the client of the API; it does not connect yet.
	Connect func(rest.Connection) Upstream
	// Renew is set when the credential of the API expires; rest.RefreshGrant fits most APIs.
	Renew func(rest.Connection) credentials.Renewer
	// Keys are the variables of an API that takes several keys at once, without the prefix of the tool; an API with one key
	// has none, and its variable is TOKEN.
	Keys []string
	// Table has commands that are data, beside those in code.
	Table Table
	// Anonymous is set when the upstream takes no credential: none is kept, and none is asked for.
	Anonymous bool
}

// Table has groups whose commands are made when a call needs them.
type Table interface {
	// Groups has one line for each group.
	Groups() map[string]string
	// Group returns the commands of a group, and their schemas.
	Group(name string) ([]*Command, []Schema)
}

// Upstream has the methods of the client of the API that the runtime calls.
type Upstream interface {
	// Account returns the account of the credential.
	Account(ctx context.Context) (rest.Account, error)
	Close()
}

// Readiness is the release gate as data (agent-cli, section on release readiness).
type Readiness struct {
	// Level is unpublishable, beta or stable.
	Level              string   `json:"level"`
	Reason             string   `json:"reason"`
	FCCRequired        bool     `json:"fcc_required"`
	MockRequired       bool     `json:"mock_upstream_required"`
	LiveSmokeForStable bool     `json:"live_smoke_required_for_stable"`
	FCCStatus          string   `json:"fcc_status"`
	MockUpstreamStatus string   `json:"mock_upstream_status"`
	LiveSmokeStatus    string   `json:"live_smoke_status"`
	RequiredEvidence   []string `json:"required_evidence"`
	// LiveSmokeRecordPath is the file in which live runs are recorded.
	LiveSmokeRecordPath string `json:"live_smoke_record"`
}

// groups are the summaries of all groups.
func (t *Tool) group(name string) string {
	if summary, own := t.Groups[name]; own {
		return summary
	}
	if name == "auth" {
		return "Manage the credential for the upstream"
	}
	return t.tableGroups()[name]
}

func (t *Tool) tableGroups() map[string]string {
	if t.Table == nil {
		return nil
	}
	return t.Table.Groups()
}

// OwnCommands are all commands of the tool, without those of every tool.
func (t *Tool) OwnCommands() []*Command {
	return slices.Concat(t.Commands, t.ofTable(slices.Sorted(maps.Keys(t.tableGroups()))))
}

// commands are all commands: those of the tool, then those of every tool.
func (t *Tool) commands() []*Command {
	return slices.Concat(t.OwnCommands(), t.ofEveryTool())
}

// ofEveryTool are the commands that the runtime adds.
func (t *Tool) ofEveryTool() []*Command {
	if t.Anonymous {
		return selfCommands()
	}
	return slices.Concat(authCommands(t.Keys), selfCommands())
}

// ofTable are the commands of groups of the table.
func (t *Tool) ofTable(groups []string) []*Command {
	var found []*Command
	for _, group := range groups {
		commands, _ := t.Table.Group(group)
		found = append(found, commands...)
	}
	return found
}

// schemas are the shapes of all data.
func (t *Tool) schemas() []Schema {
	found := t.schemasInCode()
	for _, group := range slices.Sorted(maps.Keys(t.tableGroups())) {
		_, more := t.Table.Group(group)
		found = append(found, more...)
	}
	return found
}

func (t *Tool) schemasInCode() []Schema {
	return slices.Concat(t.Schemas, []Schema{
		{Name: "dry_run", Sample: DryRun{}, Untrusted: []string{"preview"}},
		{Name: "credential_change", Sample: credentialChange{}},
		{Name: "reference", Sample: referenceData{}},
		{Name: "context", Sample: contextData{}},
		{Name: "doctor", Sample: doctorData{}},
		{Name: "changelog", Sample: changelogData{}},
		{Name: "update", Sample: update.Answer{}},
	})
}
