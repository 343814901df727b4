package instructions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTextOfTheUserComesBack(t *testing.T) {
	shared := Shared{Agent: "acme", Path: ".acme/AGENTS.md"}
	for _, text := range []string{"", "# Rules", "# Rules\n", "a\r\nb\r\n"} {
		workspacePath, ctx := t.TempDir(), context.Background()
		path := filepath.Join(workspacePath, ".acme", "AGENTS.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{"One", "Two\n<!-- end of acme system prompt -->\nThree"} {
			if err := shared.Install(ctx, workspacePath, prompt); err != nil {
				t.Fatal(err)
			}
		}
		with, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(with), text) || !strings.Contains(string(with), "Three") || strings.Contains(string(with), "One") {
			t.Errorf("%q, %v", with, err)
		}
		if err := shared.Install(ctx, workspacePath, ""); err != nil {
			t.Fatal(err)
		}
		if back, err := os.ReadFile(path); err != nil || string(back) != text {
			t.Errorf("%q became %q, %v", text, back, err)
		}
	}
}

func TestARuleIsWrittenAndRemovedAndOneOfTheUserStays(t *testing.T) {
	rule, workspacePath, ctx := Rule{Path: ".acme/rules/ao.mdc"}, t.TempDir(), context.Background()
	path := filepath.Join(workspacePath, ".acme", "rules", "ao.mdc")
	for _, prompt := range []string{"One", "Two"} {
		if err := rule.Install(ctx, workspacePath, prompt); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), "---\n") || !strings.HasSuffix(string(text), "\n"+prompt+"\n") {
			t.Errorf("%q, %v", text, err)
		}
	}
	if err := rule.Install(ctx, workspacePath, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the rule is still there: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rule.Install(ctx, workspacePath, "One"); err == nil {
		t.Error("a file of the user was overwritten")
	}
	if err := rule.Uninstall(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestTheProfilesOfAllSessionsAreRemoved(t *testing.T) {
	profile := Profile{Agent: "acme", Directory: ".acme/agents"}
	workspacePath, ctx := t.TempDir(), context.Background()
	for _, session := range []string{"s-1", "s/2"} {
		if err := profile.Install(ctx, workspacePath, session, "Be brief"); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(workspacePath, ".acme", "agents", "ao-own.agent.md")
	if err := os.WriteFile(own, []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := profile.Uninstall(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(own))
	if err != nil || len(entries) != 1 || entries[0].Name() != "ao-own.agent.md" {
		t.Errorf("there is %v, %v", entries, err)
	}
	if profile.Name("s-1", "") != "" || profile.Name("s/2", "x") != "ao-s-2" {
		t.Errorf("the names are %q, %q", profile.Name("s-1", ""), profile.Name("s/2", "x"))
	}
}
