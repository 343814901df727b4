package testkit

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/domain"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// Command is a session and the command line that it must have.
type Command struct {
	Name string
	// Restore continues the session n-1 of the agent.
	Restore bool
	// Permissions are those of the session; Configured are those of the project.
	Permissions, Configured ports.PermissionMode
	Model, Mode             string
	SystemPrompt            string
	// SystemPromptFile is the text of a file with the system prompt.
	SystemPromptFile string
	Prompt           string
	Tools            bool
	// Want has the words of the command line, with ` ; ` between them. {binary}, {workspace}, {data} and {file} are
	// replaced. Empty words are written as ''.
	Want string
	// Files are the files that the call writes below {data}, with their text.
	Files map[string]string
}

// CommandsMatch builds each command line and compares it word by word.
func CommandsMatch(t *testing.T, create func() Adapter, binary string, commands []Command) {
	t.Helper()
	for _, command := range commands {
		t.Run(strings.ReplaceAll(command.Name, " ", "-"), func(t *testing.T) {
			path := Install(t, binary)
			data, workspacePath, file := t.TempDir(), workspaceDirectory(t), ""
			if command.SystemPromptFile != "" {
				file = filepath.Join(t.TempDir(), "prompt.md")
				if err := os.WriteFile(file, []byte(command.SystemPromptFile), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, ok, err := command.build(create(), data, workspacePath, file)
			if err != nil || !ok {
				t.Fatalf("no command line: %v, %v", ok, err)
			}
			places := strings.NewReplacer("{binary}", path, "{workspace}", workspacePath, "{data}", filepath.ToSlash(data), "{file}", file, "''", "")
			want := strings.Split(places.Replace(command.Want), " ; ")
			for index, word := range got {
				if rest, below := strings.CutPrefix(word, data); below {
					got[index] = filepath.ToSlash(data + rest)
				} else if name, rest, found := strings.Cut(word, "="+data); found {
					got[index] = filepath.ToSlash(name + "=" + data + rest)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the command line is\n%q\nwant\n%q", got, want)
			}
			command.checkFiles(t, data)
			if files := filesIn(t, workspacePath); len(files) > 0 {
				t.Errorf("building a command line wrote %v into the workspace", files)
			}
		})
	}
}

func (c Command) checkFiles(t *testing.T, data string) {
	t.Helper()
	found := filesIn(t, data)
	for name, text := range c.Files {
		written, err := os.ReadFile(filepath.Join(data, filepath.FromSlash(name)))
		if err != nil || strings.TrimSpace(string(written)) != strings.TrimSpace(text) {
			t.Errorf("%s has %q, %v; want %q", name, written, err, text)
		}
	}
	if len(found) != len(c.Files) {
		t.Errorf("the data directory has %v; want %d files", found, len(c.Files))
	}
}

func (c Command) build(adapter Adapter, data, workspacePath, file string) ([]string, bool, error) {
	var allowed, denied []string
	if c.Tools {
		allowed, denied = []string{"Read", "Edit"}, []string{"Bash"}
	}
	config := ports.AgentConfig{Model: c.Model, Mode: c.Mode, Permissions: c.Configured}
	if c.Restore {
		return adapter.GetRestoreCommand(context.Background(), ports.RestoreConfig{
			Config: config, DataDir: data, Kind: domain.KindWorker, Permissions: c.Permissions,
			AllowedTools: allowed, DisallowedTools: denied,
			Session: ports.SessionRef{
				ID: "s-1", WorkspacePath: workspacePath, Metadata: map[string]string{"agentSessionId": "n-1"},
			},
			SystemPrompt: c.SystemPrompt, SystemPromptFile: file,
		})
	}
	words, err := adapter.GetLaunchCommand(context.Background(), ports.LaunchConfig{
		Config: config, DataDir: data, Kind: domain.KindWorker, Permissions: c.Permissions, Prompt: c.Prompt,
		SessionID: "s-1", AllowedTools: allowed, DisallowedTools: denied,
		SystemPrompt: c.SystemPrompt, SystemPromptFile: file, WorkspacePath: workspacePath,
	})
	return words, true, err
}

// PromptsAreNeverFlags starts sessions with prompts that look like something else. Every one must arrive whole.
func PromptsAreNeverFlags(t *testing.T, create func() Adapter, binary string, strategy ports.PromptDeliveryStrategy) {
	t.Helper()
	Install(t, binary)
	adapter := create()
	if got, err := adapter.GetPromptDeliveryStrategy(context.Background(), ports.LaunchConfig{}); err != nil || got != strategy {
		t.Fatalf("the strategy is %q, %v; want %q", got, err, strategy)
	}
	prompts := []string{"-", "--", "-x", "--help", "--model=evil", "- a list\n- of items", "a\nb", " a\n", "$(x) `y` %PATH% 'q'", "/help"}
	for _, prompt := range prompts {
		command := Command{Prompt: prompt}
		words, _, err := command.build(adapter, t.TempDir(), workspaceDirectory(t), "")
		if err != nil {
			t.Fatal(err)
		}
		index := slices.IndexFunc(words, func(word string) bool { return strings.HasSuffix(word, prompt) })
		last := len(words) - 1
		switch {
		case strategy == ports.PromptDeliveryAfterStart:
			if slices.Contains(words, prompt) {
				t.Errorf("the prompt %q is on the command line %q", prompt, words)
			}
		case index < 0 || !strings.HasSuffix(words[last], prompt):
			t.Errorf("the prompt %q is not the end of %q", prompt, words)
		case words[last] == prompt && strings.HasPrefix(prompt, "-") && (last == 0 || words[last-1] != "--"):
			t.Errorf("the prompt %q is a flag in %q", prompt, words)
		}
	}
	noPromptIsNoWord(t, create, binary)
}

// noPromptIsNoWord checks that a session without a prompt has the same command line up to where the prompt would be.
func noPromptIsNoWord(t *testing.T, create func() Adapter, binary string) {
	t.Helper()
	Install(t, binary)
	data, workspacePath := t.TempDir(), workspaceDirectory(t)
	var lines [2][]string
	for index, prompt := range []string{"", "Fix the bug"} {
		words, _, err := Command{Prompt: prompt}.build(create(), data, workspacePath, "")
		if err != nil {
			t.Fatal(err)
		}
		lines[index] = slices.DeleteFunc(words, func(word string) bool { return word == "Fix the bug" })
	}
	without, with := lines[0], lines[1]
	if len(without) > len(with) || !slices.Equal(without, with[:len(without)]) || len(without) > 0 && without[len(without)-1] == "--" {
		t.Errorf("without a prompt the command line is %q; with one it is %q and the prompt", without, with)
	}
}

// OnlyKnownSessionsAreRestored checks that a session without a usable ID of the agent is not continued.
func OnlyKnownSessionsAreRestored(t *testing.T, create func() Adapter, binary string) {
	t.Helper()
	Install(t, binary)
	for _, id := range []string{"", "  ", "-x", "--resume", "a\nb", "a\x00b", strings.Repeat("x", 300)} {
		config := ports.RestoreConfig{Session: ports.SessionRef{ID: "s-1", Metadata: map[string]string{"agentSessionId": id}}}
		words, ok, err := create().GetRestoreCommand(context.Background(), config)
		if err != nil || ok || words != nil {
			t.Errorf("the session %q is continued by %q, %v, %v", id, words, ok, err)
		}
	}
}

// InvalidConfigurationIsRefused checks that a configuration with a value that does not exist, or a system prompt that
// cannot be read, starts nothing.
func InvalidConfigurationIsRefused(t *testing.T, create func() Adapter, binary string) {
	t.Helper()
	Install(t, binary)
	restored := ports.RestoreConfig{Session: ports.SessionRef{Metadata: map[string]string{"agentSessionId": "n-1"}}}
	_, restores, err := create().GetRestoreCommand(context.Background(), restored)
	if err != nil {
		t.Fatalf("GetRestoreCommand: %v", err)
	}
	for _, config := range []ports.AgentConfig{{Mode: "turbo"}, {Permissions: "all"}} {
		if _, err := create().GetLaunchCommand(context.Background(), ports.LaunchConfig{Config: config}); err == nil {
			t.Errorf("a session was started with %+v", config)
		}
		restored.Config = config
		if _, ok, err := create().GetRestoreCommand(context.Background(), restored); restores && (err == nil || ok) {
			t.Errorf("a session was continued with %+v", config)
		}
	}
	for _, restore := range []bool{false, true} {
		if !restore || restores {
			lostSystemPrompt(t, create(), restore)
		}
	}
}

// lostSystemPrompt starts a session whose system prompt is in a file that is not there. An adapter may pass the path to
// the agent, which then reports it.
func lostSystemPrompt(t *testing.T, adapter Adapter, restore bool) {
	t.Helper()
	data, workspacePath := t.TempDir(), workspaceDirectory(t)
	lost := filepath.Join(t.TempDir(), "lost.md")
	plain, _, err := Command{Restore: restore}.build(adapter, data, workspacePath, "")
	if err != nil {
		t.Fatal(err)
	}
	with, _, err := Command{Restore: restore, SystemPrompt: "Be brief"}.build(adapter, data, workspacePath, "")
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(plain, with) {
		// The command line does not have the system prompt.
		return
	}
	words, _, err := Command{Restore: restore}.build(adapter, data, workspacePath, lost)
	if err != nil || slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(word, lost) }) {
		return
	}
	config := hookConfig(t, workspacePath, "")
	config.SystemPromptFile = lost
	if adapter.GetAgentHooks(context.Background(), config) == nil {
		t.Errorf("a session was started by %q without its system prompt, which cannot be read", words)
	}
}
