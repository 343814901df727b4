package main

import (
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// facts are what conform.toml says about the agent.
type facts struct {
	ID       string                       `json:"id"`
	Name     string                       `json:"name"`
	Binary   string                       `json:"binary"`
	Strategy ports.PromptDeliveryStrategy `json:"strategy"`
	// Configures is the field that a person sets: model or mode.
	Configures string `json:"configures"`
	// Restore says that a session can be continued.
	Restore bool `json:"restore"`
	// SystemPrompt says that the adapter passes a system prompt on.
	SystemPrompt bool `json:"system_prompt"`
	// Auth are variables that sign the agent in.
	Auth []string `json:"auth"`
	// Permissions are the words of each mode.
	Permissions map[ports.PermissionMode][]string `json:"permissions"`
	// LaunchWords and RestoreWords are in every command line that starts or continues a session.
	LaunchWords  []string `json:"launch_words"`
	RestoreWords []string `json:"restore_words"`
	// AllowedTools and DeniedTools are the options with the tools that need no permission and those that have none.
	AllowedTools string `json:"allowed_tools"`
	DeniedTools  string `json:"denied_tools"`
	// Supervised says that the orchestrator watches the process for its end.
	Supervised bool      `json:"supervised"`
	Hooks      hookFacts `json:"hooks"`
}

type hookFacts struct {
	// Family is matcher-groups, flat, shells, plugin, scripts, toml, session-flags or none.
	Family string `json:"family"`
	// Path is the file or directory of the hooks.
	Path string `json:"path"`
	// Home is the variable that names the home of the agent, where the hooks are.
	Home string `json:"home"`
	// Dialect is the form of a plugin: bus or emitter.
	Dialect string `json:"dialect"`
	// Reply is the one line that every script prints.
	Reply string `json:"reply"`
	// Timeout is the number that the hooks have, in the unit of the agent; zero is not checked.
	Timeout int         `json:"timeout"`
	Events  []hookEvent `json:"events"`
}

type hookEvent struct {
	Native  string `json:"native"`
	Name    string `json:"name"`
	Matcher string `json:"matcher"`
}

// inWorkspace says that the hooks are files of the workspace.
func (h hookFacts) inWorkspace() bool {
	return h.Home == "" && h.Family != "session-flags" && h.Family != "none"
}

// merged says that the hooks are part of a file that the user may have.
func (h hookFacts) merged() bool {
	return h.Family == "matcher-groups" || h.Family == "flat" || h.Family == "shells" || h.Family == "toml"
}

func (f facts) delivery() testkit.Delivery {
	families := map[string]testkit.Family{
		"matcher-groups": testkit.JSON, "flat": testkit.JSON, "shells": testkit.JSON, "toml": testkit.TOML,
		"scripts": testkit.Scripts, "session-flags": testkit.SessionFlags, "plugin": testkit.Bus,
	}
	family := families[f.Hooks.Family]
	if family == testkit.Bus && f.Hooks.Dialect == "emitter" {
		family = testkit.Emitter
	}
	delivery := testkit.Delivery{
		Family: family, Path: f.path(), InData: f.Hooks.Home != "", Binary: f.Binary, Reply: f.Hooks.Reply,
	}
	for _, event := range f.Hooks.Events {
		matcher := event.Matcher
		if family == testkit.Scripts {
			matcher = ""
		}
		delivery.Events = append(delivery.Events, testkit.Event{Native: event.Native, Name: event.Name, Matcher: matcher})
	}
	return delivery
}

// path is where the hooks are, below the workspace or below the data directory.
func (f facts) path() string {
	if f.Hooks.Home != "" {
		return "agent-runtime/" + f.ID + "/" + f.Hooks.Path
	}
	return f.Hooks.Path
}

// written says what the hooks are in an empty workspace: the files, and a part of each.
func (f facts) written() testkit.Written {
	want := testkit.Written{Executable: f.Hooks.Family == "scripts"}
	files := map[string]string{}
	for _, event := range f.Hooks.Events {
		switch f.Hooks.Family {
		case "scripts":
			files[f.Hooks.Path+"/"+event.Native] = "…ao hooks " + f.ID + " " + event.Name
		case "plugin":
			files[f.path()] = "…" + event.Name
		default:
			files[f.path()] = "…ao hooks " + f.ID + " " + event.Name
		}
	}
	switch {
	case f.Hooks.Home != "":
		want.Data = files
	case f.Hooks.inWorkspace():
		want.Files = files
	}
	return want
}
