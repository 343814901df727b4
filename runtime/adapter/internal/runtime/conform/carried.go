package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"

	"github.com/aoagents/agent-orchestrator/backend/internal/domain"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

const (
	nativeSession = "n-1"
	systemPrompt  = "Answer in one sentence"
)

// start is a session that is launched or continued.
type start struct {
	restore bool
	// permissions are those of the session, configured those of the project.
	permissions, configured ports.PermissionMode
	model, mode             string
	systemPrompt            string
	// inFile gives the system prompt in a file.
	inFile bool
	prompt string
}

// carried is everything that reaches the agent: words of its command line and texts of files.
type carried struct {
	argv  []string
	files string
}

// started installs the hooks, builds the command line, and collects what the agent gets.
func (s *subject) started(t *testing.T, from start) carried {
	t.Helper()
	testkit.Install(t, s.facts.Binary)
	ctx, adapter := context.Background(), s.create()
	data, workspace, file := t.TempDir(), t.TempDir(), ""
	text := from.systemPrompt
	if from.inFile {
		file, text = filepath.Join(t.TempDir(), "prompt.md"), ""
		if err := os.WriteFile(file, []byte(from.systemPrompt), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hooks := ports.WorkspaceHookConfig{
		DataDir: data, SessionID: "s-1", SystemPrompt: text, SystemPromptFile: file, WorkspacePath: workspace,
	}
	if err := adapter.GetAgentHooks(ctx, hooks); err != nil {
		t.Fatalf("GetAgentHooks: %v", err)
	}
	config := ports.AgentConfig{Model: from.model, Mode: from.mode, Permissions: from.configured}
	var argv []string
	var err error
	ok := true
	if from.restore {
		argv, ok, err = adapter.GetRestoreCommand(ctx, ports.RestoreConfig{
			Config: config, DataDir: data, Kind: domain.KindWorker, Permissions: from.permissions,
			Session: ports.SessionRef{
				ID: "s-1", WorkspacePath: workspace, Metadata: map[string]string{"agentSessionId": nativeSession},
			},
			SystemPrompt: text, SystemPromptFile: file,
		})
	} else {
		argv, err = adapter.GetLaunchCommand(ctx, ports.LaunchConfig{
			Config: config, DataDir: data, Kind: domain.KindWorker, Permissions: from.permissions, Prompt: from.prompt,
			SessionID: "s-1", SystemPrompt: text, SystemPromptFile: file, WorkspacePath: workspace,
		})
	}
	if err != nil || !ok || len(argv) == 0 {
		t.Fatalf("there is no command line: %q, %v, %v", argv, ok, err)
	}
	s.targets++
	got := carried{argv: argv}
	for _, root := range []string{data, workspace} {
		got.files += textsBelow(t, root)
	}
	if file != "" && got.has(file) {
		got.files += from.systemPrompt
	}
	return got
}

func textsBelow(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// has says whether a text is in what the agent gets.
func (c carried) has(text string) bool {
	return strings.Contains(strings.Join(c.argv, "\n"), text) || strings.Contains(c.files, text)
}

var fileWord = regexp.MustCompile(`[A-Za-z0-9_.-]+`)

// words are the words of the command line, the values of its settings, and the words in the data files.
func (c carried) words() map[string]bool {
	words := map[string]bool{}
	for _, word := range c.argv {
		words[word] = true
		if _, value, found := strings.Cut(word, "="); found {
			words[value] = true
		}
	}
	for _, word := range fileWord.FindAllString(c.files, -1) {
		words[word] = true
	}
	return words
}

func (s *subject) commandLines(t *testing.T) {
	t.Helper()
	s.targets = 0
	s.everySetting(t, false)
	const prompt = "Fix the bug"
	got := s.started(t, start{prompt: prompt})
	if isTyped := s.facts.Strategy == ports.PromptDeliveryAfterStart; got.has(prompt) == isTyped {
		t.Errorf("the prompt is in the wrong place: the strategy is %q, the command line %q", s.facts.Strategy, got.argv)
	}
}

func (s *subject) restores(t *testing.T) {
	t.Helper()
	if !s.facts.Restore {
		return
	}
	s.everySetting(t, true)
	if got := s.started(t, start{restore: true}); !got.has(nativeSession) || got.has("s-1") && !got.has("ao-s-1") {
		t.Errorf("the session %s of the agent is continued by %q", nativeSession, got.argv)
	}
}

// everySetting checks that permissions, model and system prompt reach the agent.
func (s *subject) everySetting(t *testing.T, restore bool) {
	t.Helper()
	for _, mode := range []ports.PermissionMode{
		ports.PermissionModeDefault, ports.PermissionModeAcceptEdits, ports.PermissionModeAuto, ports.PermissionModeBypassPermissions,
	} {
		s.permits(t, mode, start{restore: restore, permissions: mode})
		s.permits(t, mode, start{restore: restore, configured: mode})
	}
	s.permits(t, ports.PermissionModeAuto, start{
		restore: restore, permissions: ports.PermissionModeAuto, configured: ports.PermissionModeBypassPermissions,
	})
	setting, wanted := start{restore: restore, model: " m-9 "}, "m-9"
	if s.facts.Configures == "mode" {
		setting, wanted = start{restore: restore, mode: "high"}, "high"
	}
	if got := s.started(t, setting); !got.words()[wanted] {
		t.Errorf("the %s %q does not reach the agent by %q", s.facts.Configures, wanted, got.argv)
	}
	if !s.facts.SystemPrompt {
		return
	}
	for _, inFile := range []bool{false, true} {
		if got := s.started(t, start{restore: restore, systemPrompt: systemPrompt, inFile: inFile}); !got.has(systemPrompt) {
			t.Errorf("the system prompt (in a file: %v) does not reach the agent by %q", inFile, got.argv)
		}
	}
}

// permits checks that the words of one mode are there, and not those of another one.
func (s *subject) permits(t *testing.T, mode ports.PermissionMode, from start) {
	t.Helper()
	got, want := s.started(t, from), s.facts.Permissions[mode]
	words := got.words()
	for _, word := range want {
		if !words[word] {
			t.Errorf("the mode %s needs the word %q, and it is not there (session %q, project %q)", mode, word, from.permissions, from.configured)
		}
	}
	for other, theirs := range s.facts.Permissions {
		if len(theirs) > 0 && !isRun(want, theirs) && got.hasRun(theirs) {
			t.Errorf("the mode %s has the words %q of the mode %s", mode, strings.Join(theirs, " "), other)
		}
	}
}

// hasRun says whether words are on the command line one after the other; a single one may also be a value or in a file.
func (c carried) hasRun(words []string) bool {
	return isRun(c.argv, words) || len(words) == 1 && c.words()[words[0]]
}

func isRun(all, words []string) bool {
	for start := 0; start+len(words) <= len(all); start++ {
		if slices.Equal(all[start:start+len(words)], words) {
			return true
		}
	}
	return false
}
