package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	// allowed and denied are names of tools.
	allowed, denied []string
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
			AllowedTools: from.allowed, DisallowedTools: from.denied,
			Session: ports.SessionRef{
				ID: "s-1", WorkspacePath: workspace, Metadata: map[string]string{"agentSessionId": nativeSession},
			},
			SystemPrompt: text, SystemPromptFile: file,
		})
	} else {
		argv, err = adapter.GetLaunchCommand(ctx, ports.LaunchConfig{
			Config: config, DataDir: data, Kind: domain.KindWorker, Permissions: from.permissions, Prompt: from.prompt,
			AllowedTools: from.allowed, DisallowedTools: from.denied, SessionID: "s-1", SystemPrompt: text, SystemPromptFile: file, WorkspacePath: workspace,
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

// options are the words before `--`: the agent reads those behind it as a prompt.
func (c carried) options() []string {
	if end := slices.Index(c.argv, "--"); end >= 0 {
		return c.argv[:end]
	}
	return c.argv
}

// sets says whether a text is in the options or in a file.
func (c carried) sets(text string) bool {
	return strings.Contains(strings.Join(c.options(), "\n"), text) || strings.Contains(c.files, text)
}

var fileWord = regexp.MustCompile(`[A-Za-z0-9_.-]+`)

// words are the options of the command line, the values of its settings, and the words in the data files.
func (c carried) words() map[string]bool {
	words := map[string]bool{}
	for _, word := range c.options() {
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
	s.fixedWords(t, restore)
	s.tools(t, restore)
	if !s.facts.SystemPrompt {
		return
	}
	for _, inFile := range []bool{false, true} {
		if got := s.started(t, start{restore: restore, systemPrompt: systemPrompt, inFile: inFile}); !got.sets(systemPrompt) {
			t.Errorf("the system prompt (in a file: %v) does not reach the agent by %q", inFile, got.argv)
		}
	}
}

// fixedWords checks the words that every command line of this kind has.
func (s *subject) fixedWords(t *testing.T, restore bool) {
	t.Helper()
	want := s.facts.LaunchWords
	if restore {
		want = s.facts.RestoreWords
	}
	got := s.started(t, start{restore: restore})
	left := slices.Clone(got.options())
	for _, word := range want {
		word = strings.ReplaceAll(word, "{id}", nativeSession)
		index := slices.Index(left, word)
		if index < 0 {
			t.Errorf("the command line %q needs the word %q before any `--`", got.argv, word)
			return
		}
		left = slices.Delete(left, index, index+1)
	}
}

// tools checks that the tools of a session reach the agent, each behind its option.
func (s *subject) tools(t *testing.T, restore bool) {
	t.Helper()
	if s.facts.AllowedTools == "" && s.facts.DeniedTools == "" {
		return
	}
	got := s.started(t, start{restore: restore, allowed: []string{"Read", "Edit"}, denied: []string{"Bash"}})
	for option, names := range map[string][]string{s.facts.AllowedTools: {"Read", "Edit"}, s.facts.DeniedTools: {"Bash"}} {
		for _, name := range names {
			if option != "" && !behind(got.options(), option, name) {
				t.Errorf("the tool %s is not behind %s in %q", name, option, got.argv)
			}
		}
	}
}

// behind says whether a name is in the value of an option.
func behind(words []string, option, name string) bool {
	for index, word := range words {
		value, joined := strings.CutPrefix(word, option+"=")
		if word == option && index+1 < len(words) {
			value, joined = words[index+1], true
		}
		if joined && slices.Contains(strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }), name) {
			return true
		}
	}
	return false
}

var timeoutOf = regexp.MustCompile(`timeout(?:Sec)?"?\s*[:=]\s*([0-9]+)`)

// timeouts checks the number that the hooks have for how long the agent waits.
func (s *subject) timeouts(t *testing.T) {
	t.Helper()
	if s.facts.Hooks.Timeout == 0 {
		return
	}
	got := s.started(t, start{})
	found := timeoutOf.FindAllStringSubmatch(strings.Join(got.argv, "\n")+"\n"+got.files, -1)
	if len(found) == 0 {
		t.Errorf("the hooks have no timeout; want %d", s.facts.Hooks.Timeout)
	}
	for _, match := range found {
		if match[1] != strconv.Itoa(s.facts.Hooks.Timeout) {
			t.Errorf("a hook has the timeout %s; want %d", match[1], s.facts.Hooks.Timeout)
			return
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
	return isRun(c.options(), words) || len(words) == 1 && c.words()[words[0]]
}

func isRun(all, words []string) bool {
	for start := 0; start+len(words) <= len(all); start++ {
		if slices.Equal(all[start:start+len(words)], words) {
			return true
		}
	}
	return false
}
