package argv

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

func TestALineIsBuiltWordByWord(t *testing.T) {
	line := New("acme", "run")
	line.Setting("MODE", "a b")
	line.Option("--model", "m")
	line.Option("--none", "  ")
	line.Option("--text", "-x")
	line.Option("-s", "-x")
	line.PromptBehindDashes("-p")
	want := []string{"env", "MODE=a b", "acme", "run", "--model", "m", "--text=-x", "-s", " -x", "--", "-p"}
	if got := line.Args(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnEmptyPromptIsNone(t *testing.T) {
	line := New("acme")
	line.PromptBehindDashes("")
	line.PromptWord("")
	line.PromptOption("-p", "")
	if got := line.Args(); len(got) != 1 {
		t.Errorf("%q", got)
	}
	line.PromptWord("-x")
	line.PromptWord("x")
	if got := line.Args(); !reflect.DeepEqual(got, []string{"acme", " -x", "x"}) {
		t.Errorf("%q", got)
	}
}

func TestASystemPromptIsTextOrTheTextOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prompt.md")
	if err := os.WriteFile(file, []byte("\nFrom a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ inline, file, want string }{
		{"", "", ""}, {" text\n", file, "text"}, {"", file, "From a file"}, {" \n", file, "From a file"},
	}
	for _, c := range cases {
		if got, err := SystemText(c.inline, c.file); err != nil || got != c.want {
			t.Errorf("SystemText(%q, %q) = %q, %v", c.inline, c.file, got, err)
		}
	}
	if _, err := SystemText("", file+".none"); err == nil {
		t.Error("a file that is not there was read")
	}
	for _, text := range []string{strings.Repeat("x", maxPromptFile+1), "\xff"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := SystemText("", file); err == nil {
			t.Errorf("%.20q was accepted", text)
		}
	}
}

func TestThePermissionsOfTheSessionCountFirst(t *testing.T) {
	cases := []struct{ session, project, want ports.PermissionMode }{
		{"", "", ports.PermissionModeDefault},
		{"", ports.PermissionModeAuto, ports.PermissionModeAuto},
		{ports.PermissionModeDefault, ports.PermissionModeAuto, ports.PermissionModeDefault},
		{ports.PermissionModeAcceptEdits, ports.PermissionModeBypassPermissions, ports.PermissionModeAcceptEdits},
		{"unknown", "", ports.PermissionModeDefault},
	}
	for _, c := range cases {
		if got := Mode(c.session, c.project); got != c.want {
			t.Errorf("Mode(%q, %q) = %q, want %q", c.session, c.project, got, c.want)
		}
	}
}

func TestARestoredSessionHasEverythingOfALaunchedOne(t *testing.T) {
	config := ports.AgentConfig{Model: "m"}
	launched, err := Launched(ports.LaunchConfig{
		Config: config, DataDir: "/d", Permissions: "auto", SessionID: "s", AllowedTools: []string{"a"},
		DisallowedTools: []string{"b"}, SystemPrompt: "p", SystemPromptFile: "f", WorkspacePath: "/w",
	})
	if err != nil {
		t.Fatal(err)
	}
	restored, err := Restored(ports.RestoreConfig{
		Config: config, DataDir: "/d", Permissions: "auto", AllowedTools: []string{"a"}, DisallowedTools: []string{"b"},
		SystemPrompt: "p", SystemPromptFile: "f", Session: ports.SessionRef{ID: "s", WorkspacePath: "/w"},
	})
	if err != nil || !reflect.DeepEqual(launched, restored) {
		t.Errorf("%+v, want %+v, %v", restored, launched, err)
	}
	fields := reflect.ValueOf(restored)
	for index := range fields.NumField() {
		if fields.Field(index).IsZero() {
			t.Errorf("%s is not set", fields.Type().Field(index).Name)
		}
	}
}
