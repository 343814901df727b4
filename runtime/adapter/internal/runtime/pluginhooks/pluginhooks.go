// Package pluginhooks installs a plugin of the agent that reports its events.
package pluginhooks

import (
	"context"
	_ "embed" // for the source of the plugin
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/ownedfile"
)

// Dialect is how a plugin hears of events.
type Dialect int

const (
	// Bus is a plugin with one handler for all events, as in OpenCode. A matcher is PATH=VALUE in the properties.
	Bus Dialect = iota
	// Emitter is a plugin that subscribes to each event by name, as in Amp. It can give the system prompt too, when the
	// event user-prompt-submit begins a turn.
	Emitter
)

// Plugin is the plugin of one agent.
type Plugin struct {
	// Agent is the ID of the adapter.
	Agent string
	// Path is the file, below the workspace and with slashes.
	Path string
	// Dialect is how it hears of events.
	Dialect Dialect
	// Events are the hooks to install.
	Events []hookevent.Event
	// SystemPrompt and SystemPromptFile are what an Emitter gives to the agent.
	SystemPrompt, SystemPromptFile string
}

var (
	//go:embed plugin.js.txt
	commonSource string
	//go:embed bus.js.txt
	busSource string
	//go:embed emitter.js.txt
	emitterSource string
)

// Install writes the plugin. A file of the user at its path is refused.
func (p Plugin) Install(ctx context.Context, workspacePath string) error {
	if err := hookevent.Check(p.Events, 0, 0); err != nil {
		return err
	}
	if p.Dialect == Bus && p.SystemPrompt+p.SystemPromptFile != "" {
		return errors.New("a plugin of this agent cannot give it a system prompt")
	}
	file, err := p.file()
	if err != nil {
		return err
	}
	return file.Install(ctx, workspacePath)
}

// Uninstall removes the plugin.
func (p Plugin) Uninstall(ctx context.Context, workspacePath string) error {
	file, err := p.file()
	if err != nil {
		return err
	}
	return file.Uninstall(ctx, workspacePath)
}

// Installed reports whether the plugin is there.
func (p Plugin) Installed(ctx context.Context, workspacePath string) (bool, error) {
	file, err := p.file()
	if err != nil {
		return false, err
	}
	return file.Installed(ctx, workspacePath)
}

type settings struct {
	Agent            string    `json:"agent"`
	Events           []setting `json:"events"`
	SystemPrompt     string    `json:"systemPrompt"`
	SystemPromptFile string    `json:"systemPromptFile"`
}

type setting struct {
	Native  string `json:"native"`
	Name    string `json:"name"`
	Matcher string `json:"matcher,omitempty"`
}

func (p Plugin) file() (ownedfile.File, error) {
	values := settings{Agent: p.Agent, SystemPrompt: p.SystemPrompt, SystemPromptFile: p.SystemPromptFile}
	for _, event := range p.Events {
		values.Events = append(values.Events, setting{Native: event.Native, Name: event.Name, Matcher: event.Matcher})
	}
	// The encoder escapes U+2028 and what could end a script, so the text is JavaScript too.
	encoded, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		return ownedfile.File{}, fmt.Errorf("write the settings of the plugin: %w", err)
	}
	sentinel := "agent-orchestrator: managed " + p.Agent + " plugin (do not edit)"
	source := strings.Replace(commonSource, "@SENTINEL@", sentinel, 1)
	source = strings.Replace(source, "@SETTINGS@", string(encoded), 1)
	if p.Dialect == Emitter {
		source += emitterSource
	} else {
		source += busSource
	}
	return ownedfile.File{Path: p.Path, Sentinel: "// " + sentinel, Text: source}, nil
}
