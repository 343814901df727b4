package tomlhooks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
)

var file = File{
	Agent: "acme", Path: ".acme/hooks.toml", Timeout: 5 * time.Second, Unit: time.Second,
	Events: []hookevent.Event{
		{Native: "SessionStart", Name: "session-start", Matcher: "a\"b\\c"},
		{Native: "Stop", Name: "stop"},
	},
}

var documents = []string{
	"", "\n", "a = 1", "a = 1\r\nb = 2\r\n", "[[hooks]]\nevent = \"x\"\n", "[hook]\nhooks = 1\n", "[a]\nhooks.b = 1\n",
	"s = '''\n[hooks]\n# managed by agent-orchestrator: acme hooks\n'''\n", "s = \"\"\"a\\\"\"\"\\\"\"\"\"\"\n",
	"l = [ # [\n  [\"hooks\"],\n  { a = ']' },\n]\n", "'hook s' = 1\n", "\"hooks2\" = 1\n", "d = 'a#\"\"\"b'\n",
}

var refusals = []string{
	"[hooks]\n", " [ hooks . a ]\n", "hooks = []\n", "\"hooks\" = 1\n", "'hooks'.a = 1\n", "s = \"\"\"\n", "l = [\n", "\xff", "\r",
	"# managed by agent-orchestrator: acme hooks\n",
}

func TestUninstallGivesBackTheBytesOfTheUser(t *testing.T) {
	for _, document := range documents {
		roundTrip(t, []byte(document))
	}
}

func roundTrip(t *testing.T, document []byte) {
	t.Helper()
	installed, err := file.installed(document, true)
	if err != nil {
		t.Errorf("%q is refused: %v", document, err)
		return
	}
	again, err := file.installed(installed, true)
	if err != nil || !bytes.Equal(again, installed) {
		t.Errorf("%q: a second install made %q of %q: %v", document, again, installed, err)
	}
	rest, err := file.uninstalled(installed)
	if err != nil || !rest.Had || rest.Ours || !bytes.Equal(rest.Bytes, document) {
		t.Errorf("%q became %q and then %+v: %v", document, installed, rest, err)
	}
}

func TestAFileThatCannotBeMergedIsNotTouched(t *testing.T) {
	for _, document := range refusals {
		workspacePath := t.TempDir()
		path := filepath.Join(workspacePath, ".acme", "hooks.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := file.Install(context.Background(), workspacePath); err == nil || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%q: %v", document, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != document {
			t.Errorf("%q became %q", document, text)
		}
	}
}

func TestTheFile(t *testing.T) {
	workspacePath, ctx := t.TempDir(), context.Background()
	if err := file.Install(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(workspacePath, ".acme", "hooks.toml"))
	want := `# managed by agent-orchestrator: acme hooks
[[hooks]]
event = "SessionStart"
matcher = "a\"b\\c"
command = "ao hooks acme session-start"
timeout = 5
[[hooks]]
event = "Stop"
command = "ao hooks acme stop"
timeout = 5
# end of acme hooks
`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	if found, err := file.Installed(ctx, workspacePath); err != nil || !found {
		t.Errorf("Installed = %v, %v", found, err)
	}
	if err := file.Uninstall(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(workspacePath); err != nil || len(entries) > 0 {
		t.Errorf("after uninstall there is %v", entries)
	}
}

func FuzzUninstallGivesBackTheBytes(f *testing.F) {
	for _, document := range append(documents, refusals...) {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if _, err := file.installed(document, true); err == nil && !bytes.Contains(document, []byte("acme hooks")) {
			roundTrip(t, document)
		}
	})
}
