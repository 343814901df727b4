package jsonhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
)

var events = []hookevent.Event{
	{Native: "SessionStart", Name: "session-start", Matcher: "startup"},
	{Native: "Stop", Name: "stop"},
	{Native: "Stop", Name: "session-end"},
}

func file(shape Shape) File {
	return File{Agent: "acme", Path: ".acme/hooks.json", Shape: shape, Timeout: 30 * time.Second, Unit: time.Second, Events: events}
}

var shapes = []Shape{MatcherGroups, Flat, Shells}

// documents are files of users that can be merged.
var documents = []string{
	"", "\n", "  \r\n\t", "null", " null \n", "{}", "{ }", "{\n}\n", "{}\n", "\xef\xbb\xbf{}", "\xef\xbb\xbf",
	`{"hooks":null}`, `{"hooks": {}}`, `{"hooks": { }}`, "{\n  \"hooks\": {\n  }\n}\n",
	`{"hooks": {"Stop": []}}`, `{"hooks": {"Stop": null, "Other": null}}`, `{"hooks": {"Stop": [ ]}}`,
	`{"hooks": {"Stop": [{"hooks": []}]}}`,
	`{"model": "x"}`, "{ \"model\": \"x\" }", "{\n\t\"model\": \"x\"\n}\n", "{\r\n    \"model\": \"x\"\r\n}\r\n",
	`{"z": 1, "a": 1.50e+2, "s": "a<b>&c \u00e9 \/", "hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "p", "x": [1]}], "own": true}]}}`,
	"{\n  // of the user\n  \"hooks\": { /* inside */ },\n  \"z\": [1, 2] // end\n}\n// last",
	"// only a comment\n", "/* only a comment */",
	`{"version": 1, "hooks": {}}`, `{"version": 2, "hooks": {"stop": [{"command": "mine"}]}}`, `{"version":1}`, "{\n  \"version\": 1\n}\n",
	`{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "ao hooks acme stop && say done"}]}]}}`,
	`{"hooks": {"Stop": ["a string", 1, null, {"hooks": "x"}, {"hooks": [1, "y"]}], "PreToolUse": {"not": "an array"}}}`,
	`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ao hooks other stop"}]}]}}`,
	`{"\u0068ooks": {"\u0053top": []}}`,
	`{"a": {"a": 1, "a": 2}}`,
}

// refusals are files that cannot be merged.
var refusals = map[string]string{
	`{"hooks": []}`:                       "`hooks` is an array and must be an object",
	`{"hooks": "x"}`:                      "`hooks` is a string and must be an object",
	`{"hooks": {"Stop": {}}}`:             "`hooks.Stop` is an object and must be an array",
	`{"hooks": {}, "hooks": {}}`:          `the member "hooks" occurs twice`,
	`{"hooks": {"Stop": [], "Stop": []}}`: `the member "Stop" occurs twice`,
	`[]`:                                  "the document is an array and must be an object",
	`"x"`:                                 "the document is a string and must be an object",
	`{"a": 1,}`:                           "line 1, column 9",
	`{`:                                   "line 1, column 2",
	"{\"\xff\": 1}":                       "it is not text in UTF-8",
}

func TestUninstallGivesBackTheBytesOfTheUser(t *testing.T) {
	for _, shape := range shapes {
		for _, document := range documents {
			roundTrip(t, file(shape), []byte(document))
		}
	}
}

// roundTrip installs twice and uninstalls.
func roundTrip(t *testing.T, f File, document []byte) {
	t.Helper()
	installed, err := f.installed(document, true)
	if err != nil {
		t.Errorf("%d: %q is refused: %v", f.Shape, document, err)
		return
	}
	present, err := f.present(installed)
	if err != nil || !f.asWanted(present) {
		t.Errorf("%d: %q became %q, which has %v (%v)", f.Shape, document, installed, present, err)
	}
	again, err := f.installed(installed, true)
	if err != nil || !bytes.Equal(again, installed) {
		t.Errorf("%d: a second install made %q of %q: %v", f.Shape, again, installed, err)
	}
	back, gone, err := f.uninstalled(installed)
	if err != nil || gone || !bytes.Equal(back, document) {
		t.Errorf("%d: %q became %q and then %q (%v, %v)", f.Shape, document, installed, back, gone, err)
	}
}

func TestInstallKeepsEveryByteOfTheUser(t *testing.T) {
	for _, shape := range shapes {
		for _, document := range documents {
			installed, err := file(shape).installed([]byte(document), true)
			if err != nil {
				t.Fatal(err)
			}
			rest := string(installed)
			for _, char := range strings.ReplaceAll(document, "null", "") {
				_, after, found := strings.Cut(rest, string(char))
				if !found {
					t.Errorf("%d: %q lost %q: %q", shape, document, char, installed)
					break
				}
				rest = after
			}
		}
	}
}

func TestAFileThatCannotBeMergedIsNotTouched(t *testing.T) {
	for document, want := range refusals {
		workspacePath := t.TempDir()
		path := filepath.Join(workspacePath, ".acme", "hooks.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(document), 0o640); err != nil {
			t.Fatal(err)
		}
		calls := map[string]func(context.Context, string) error{
			"install": file(MatcherGroups).Install, "uninstall": file(MatcherGroups).Uninstall,
			"installed": func(ctx context.Context, path string) error {
				_, err := file(MatcherGroups).Installed(ctx, path)
				return err
			},
		}
		for name, call := range calls {
			err := call(context.Background(), workspacePath)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("%s of %q: %v, want %q", name, document, err, want)
			}
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != document {
			t.Errorf("%q became %q", document, text)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%q: files beside it: %v", document, entries)
		}
	}
}

func TestTheFileOfEachShape(t *testing.T) {
	want := map[Shape]string{
		MatcherGroups: `{
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "ao hooks acme session-start", "timeout": 30}]}
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "ao hooks acme stop", "timeout": 30}]},
      {"hooks": [{"type": "command", "command": "ao hooks acme session-end", "timeout": 30}]}
    ]
  }
}
`,
		Flat: `{
  "version" : 1,
  "hooks": {
    "SessionStart": [
      {"command": "ao hooks acme session-start"}
    ],
    "Stop": [
      {"command": "ao hooks acme stop"},
      {"command": "ao hooks acme session-end"}
    ]
  }
}
`,
		Shells: `{
  "version" : 1,
  "hooks": {
    "SessionStart": [
      {"type": "command", "bash": "ao hooks acme session-start", "powershell": "ao hooks acme session-start", "timeoutSec": 30}
    ],
    "Stop": [
      {"type": "command", "bash": "ao hooks acme stop", "powershell": "ao hooks acme stop", "timeoutSec": 30},
      {"type": "command", "bash": "ao hooks acme session-end", "powershell": "ao hooks acme session-end", "timeoutSec": 30}
    ]
  }
}
`,
	}
	for shape, text := range want {
		workspacePath := t.TempDir()
		ctx := context.Background()
		if err := file(shape).Install(ctx, workspacePath); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(workspacePath, ".acme", "hooks.json"))
		if err != nil || string(got) != text {
			t.Errorf("%d:\n%s", shape, got)
		}
		if !json.Valid(got) {
			t.Errorf("%d is not JSON", shape)
		}
		ignore, err := os.ReadFile(filepath.Join(workspacePath, ".acme", ".gitignore"))
		if err != nil || !strings.Contains(string(ignore), "\n/hooks.json\n") || !strings.Contains(string(ignore), "\n/.gitignore\n") {
			t.Errorf("%d: .gitignore is %q, %v", shape, ignore, err)
		}
		if present, err := file(shape).Installed(ctx, workspacePath); err != nil || !present {
			t.Errorf("%d: Installed = %v, %v", shape, present, err)
		}
		if err := file(shape).Uninstall(ctx, workspacePath); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(workspacePath); err != nil || len(entries) != 0 {
			t.Errorf("%d: after uninstall there is %v", shape, entries)
		}
	}
}

func TestOlderHooksOfTheAgentAreReplaced(t *testing.T) {
	old := `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "ao hooks acme session-start", "timeout": 5}]}],` +
		` "Gone": [{"hooks": [{"type": "command", "command": "ao hooks acme stop"}, {"type": "command", "command": "mine"}]}]}}`
	text, err := file(MatcherGroups).installed([]byte(old), true)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Command string
				Timeout int
			}
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if start := got.Hooks["SessionStart"]; len(start) != 1 || start[0].Matcher != "startup" || start[0].Hooks[0].Timeout != 30 {
		t.Errorf("SessionStart is %+v", start)
	}
	if gone := got.Hooks["Gone"]; len(gone) != 1 || len(gone[0].Hooks) != 1 || gone[0].Hooks[0].Command != "mine" {
		t.Errorf("Gone is %+v", gone)
	}
}

func TestWhatTheUserAddsAfterInstallStays(t *testing.T) {
	f := file(MatcherGroups)
	text, err := f.installed(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), `"Stop": [`, `"Stop": [{"hooks": [{"type": "command", "command": "mine"}]},`, 1)
	back, gone, err := f.uninstalled([]byte(edited))
	if err != nil || gone {
		t.Fatalf("%v, %v", gone, err)
	}
	var got map[string]any
	if err := json.Unmarshal(back, &got); err != nil {
		t.Fatalf("%v: %s", err, back)
	}
	want := map[string]any{"hooks": map[string]any{"Stop": []any{
		map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "mine"}}},
	}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("what is left: %s", back)
	}
}

func TestASecondInstallDoesNotWrite(t *testing.T) {
	workspacePath := t.TempDir()
	ctx := context.Background()
	if err := file(MatcherGroups).Install(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(workspacePath, ".acme", "hooks.json")
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	if err := file(MatcherGroups).Install(ctx, workspacePath); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("the file was written again: %v, %v", info.ModTime(), err)
	}
}

func TestTheModeOfTheUserStays(t *testing.T) {
	workspacePath := t.TempDir()
	path := filepath.Join(workspacePath, ".acme", "hooks.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file(MatcherGroups).Install(context.Background(), workspacePath); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the mode is %v, %v", after.Mode(), err)
	}
}

func TestAnUnknownEventIsRefused(t *testing.T) {
	for _, name := range []string{"SessionStart", "stop ", "", "user-prompt"} {
		f := file(MatcherGroups)
		f.Events = []hookevent.Event{{Native: "Stop", Name: name}}
		if err := f.Install(context.Background(), t.TempDir()); err == nil {
			t.Errorf("the event %q was installed", name)
		}
	}
	f := file(MatcherGroups)
	f.Timeout, f.Unit = 1500*time.Millisecond, time.Second
	if err := f.Install(context.Background(), t.TempDir()); err == nil {
		t.Error("half a second in whole seconds was installed")
	}
	f.Unit = time.Millisecond
	if got := f.timeout(); got != "1500" {
		t.Errorf("the timeout is %s", got)
	}
}

var own = regexp.MustCompile(`ao hooks acme|"version" : 1`)

func FuzzUninstallGivesBackTheBytes(f *testing.F) {
	for _, document := range documents {
		for shape := range shapes {
			f.Add(uint8(shape), []byte(document))
		}
	}
	for document := range refusals {
		f.Add(uint8(0), []byte(document))
	}
	f.Fuzz(func(t *testing.T, shape uint8, document []byte) {
		hooks := file(shapes[int(shape)%len(shapes)])
		installed, err := hooks.installed(document, true)
		if err != nil {
			return
		}
		if own.Match(document) || bytes.Contains(document, []byte(`\u`)) {
			return
		}
		roundTrip(t, hooks, document)
		if json.Valid(document) && !json.Valid(installed) {
			t.Errorf("%q became %q, which is not JSON", document, installed)
		}
	})
}

func FuzzUninstallKeepsTheRest(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(strings.ReplaceAll(document, "mine", "ao hooks acme stop")))
	}
	f.Add([]byte(`{"hooks": {"Stop": [{"hooks": [{"command": "ao hooks acme stop"}, {"command": "x"}]}, {"hooks": [{"command": "ao hooks acme stop"}]}]}}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, shape := range shapes {
			back, gone, err := file(shape).uninstalled(document)
			if err != nil || gone {
				continue
			}
			if present, err := file(shape).present(back); err != nil || len(present) > 0 {
				t.Errorf("%q became %q: %v, %v", document, back, present, err)
			}
			if json.Valid(document) && len(bytes.TrimSpace(back)) > 0 && !json.Valid(back) {
				t.Errorf("%q became %q, which is not JSON", document, back)
			}
		}
	})
}
