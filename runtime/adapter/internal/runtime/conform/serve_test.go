package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	adapter "github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
)

func ask(t *testing.T, subject adapters.Adapter, calls ...string) []answer {
	t.Helper()
	var output strings.Builder
	if err := serve(func() adapters.Adapter { return subject }, strings.NewReader(strings.Join(calls, "\n")), &output); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for line := range strings.Lines(output.String()) {
		var got answer
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, got)
	}
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	return answers
}

func TestEveryMethodCanBeCalled(t *testing.T) {
	workspacePath, _ := json.Marshal(t.TempDir())
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "acme"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	config := `"config": {"WorkspacePath": ` + string(workspacePath) + `, "Prompt": "p", "ID": "s", "Session": {"Metadata": {"agentSessionId": "n"}}, "Metadata": {"title": "T"}}}`
	calls := []string{
		"Manifest", "GetConfigSpec", "GetLaunchCommand", "GetPromptDeliveryStrategy", "GetAgentHooks", "AreHooksInstalled",
		"GetRestoreCommand", "SessionInfo", "UninstallHooks", "AuthStatus", "ResolveBinary", "Signals",
	}
	var lines []string
	for _, call := range calls {
		lines = append(lines, `{"call": "`+call+`", `+config)
	}
	for index, got := range ask(t, adapter.New(), lines...) {
		if got.Error != "" || got.Panic != "" || !got.OK {
			t.Errorf("%s: %+v", calls[index], got)
		}
	}
}

type broken struct{ adapters.Adapter }

func (broken) Manifest() adapters.Manifest { panic("no manifest") }

func TestWhatGoesWrongIsAnAnswer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	answers := ask(t, adapter.New(), `{"call": "GetLaunchCommand"}`, `{"call": "GetConfigSpec", "cancelled": true}`, `{"call": "Fly"}`, `x`, `{"call": "SessionInfo", "config": 1}`)
	for index, want := range []string{"ErrAgentBinaryNotFound", "Canceled", "NoSuchCall"} {
		if !slices.Contains(answers[index].Is, want) {
			t.Errorf("%d: %+v, want %s", index, answers[index], want)
		}
	}
	for _, got := range answers[3:] {
		if !strings.Contains(got.Error, "not understood") {
			t.Errorf("%+v", got)
		}
	}
	if got := ask(t, broken{}, `{"call": "Manifest"}`)[0]; got.Panic != "no manifest" {
		t.Errorf("%+v", got)
	}
	if err := serve(func() adapters.Adapter { return adapter.New() }, strings.NewReader(strings.Repeat("x", maxLine+1)), &strings.Builder{}); err == nil {
		t.Error("a line without end was read")
	}
}
