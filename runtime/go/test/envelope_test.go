package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/testkit"
)

func toText(value any) string {
	return fmt.Sprint(value)
}

// sources returns the Go files of the program.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, directory := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			files[path] = string(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestEveryAnswerIsOneDocumentOfTheContract(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	calls := [][]string{
		{},
		{"nothing"},
		{"item"},
		{"item", "nothing"},
		{"item", "list"},
		{"item", "list", "extra"},
		{"item", "list", "--nothing"},
		{"item", "list", "--format", "yaml"},
		{"item", "list", "--format"},
		{"item", "list", "--limit", "many"},
		{"item", "list", "--limit", "1", "--limit", "2"},
		{"item", "list", "--state", "lost"},
		{"item", "get"},
		{"item", "get", "--id", "1", "--json"},
		{"item", "get", "--id", "../../admin"},
		{"item", "get", "--id", "99999"},
		{"item", "get", "--id", "1", "--version"},
		{"item", "delete", "--id", "1"},
		{"item", "delete", "--id", "1", "--dangerous", "--dry-run"},
		{"item", "close", "--ids", ","},
		{"item", "list", "--format", "raw"},
		{"item", "list", "--json", "--format", "text"},
		{"reference"}, {"context"}, {"doctor"}, {"changelog"},
		{"update", "--confirm", "ct_x"},
		{"update", "now"},
		{"update", "--check", "--dry-run"},
		{"completion", "bash"},
		{"install-skill"},
		{"help"}, {"no-help"}, {"__complete", "item", ""}, {"--quiet", "__completeNoDesc", "item", ""},
	}
	for _, call := range calls {
		ended := tool.Run(call...)
		ended.Document()
		if !utf8.ValidString(ended.Stdout) || strings.ContainsAny(ended.Stdout, "\x1b\r\ufeff") {
			t.Errorf("%v: stdout is not plain UTF-8", call)
		}
	}
}

func TestACallThatDoesNotParseIsAMistakeOfTheCaller(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	usage := [][]string{
		{}, {"nothing"}, {"item"}, {"item", "nothing"}, {"item", "list", "extra"}, {"item", "list", "--nothing"},
		{"item", "get"}, {"item", "list", "--limit", "1", "--limit", "2"}, {"item", "list", "--format", "raw"},
		{"item", "list", "--json", "--format", "text"}, {"update", "--confirm", "ct_x"},
		{"item", "update", "--id", "1"}, {"item", "close", "--ids", "1", "--dry-run", "--confirm", "ct_x"},
		{"item", "list", "--quiet=perhaps"}, {"item", "close", "--ids", numbers(10_001)},
		{"__complete", "item", ""}, {"no-help"},
	}
	for _, call := range usage {
		tool.Run(call...).Fails("E_USAGE")
	}
	validation := [][]string{
		{"item", "list", "--format", "yaml"}, {"item", "list", "--limit", "0"}, {"item", "list", "--limit", "101"},
		{"item", "list", "--state", "lost"}, {"item", "get", "--id", "1/../2"}, {"item", "get", "--id", " "},
		{"item", "list", "--project", "../x"}, {"item", "close", "--ids", ","}, {"changelog", "--since", "yesterday"},
		{"item", "list", "--fields", "id,secret"}, {"item", "close", "--ids", "1", "--continue-on-error", "maybe"},
		{"item", "create", "--project", "atlas", "--title", "x", "--idempotency-key", "a b"},
		{"item", "update", "--id", "1", "--title", " "}, {"project", "overview", "--projects", "A B"},
		{"update", "--target-version", "newest"}, {"item", "list", "--query", "\xff\xfe"},
	}
	for _, call := range validation {
		tool.Run(call...).Fails("E_VALIDATION")
	}
}

func TestAMistypedCommandIsAnsweredWithTheNearestOne(t *testing.T) {
	t.Parallel()
	details := newTool(t).Run("item", "lst").Fails("E_USAGE")
	if fix := toText(details["fix"]); !strings.Contains(fix, "`list`") {
		t.Errorf("the fix is %q", fix)
	}
}

func TestCompactChangesWhiteSpaceAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	duration := regexp.MustCompile(`"duration_ms": ?\d+`)
	for _, call := range [][]string{{"item", "get", "--id", "1"}, {"item", "get", "--id", "77777"}, {"nothing"}} {
		wide, narrow := tool.Run(call...), tool.Run(append(call, "--compact")...)
		if strings.Count(narrow.Stdout, "\n") != 1 {
			t.Errorf("%v: the compact answer has several lines", call)
		}
		var squeezed bytes.Buffer
		if err := json.Compact(&squeezed, []byte(strings.TrimSpace(wide.Stdout))); err != nil {
			t.Fatal(err)
		}
		left := duration.ReplaceAllString(squeezed.String(), "")
		right := duration.ReplaceAllString(strings.TrimSpace(narrow.Stdout), "")
		if left != right {
			t.Errorf("%v: the answers differ:\n%s\n%s", call, left, right)
		}
	}
}

func TestTheSameCallGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	varying := regexp.MustCompile(`"duration_ms": \d+`)
	for _, call := range [][]string{{"item", "list"}, {"reference"}, {"changelog"}, {"context"}, {"item", "get", "--id", "5000"}} {
		first := varying.ReplaceAllString(tool.Run(call...).Stdout, "")
		if second := varying.ReplaceAllString(tool.Run(call...).Stdout, ""); first != second {
			t.Errorf("%v: two calls differ", call)
		}
	}
}

func TestAllKeysAreInSnakeCase(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	snake := regexp.MustCompile(`^_?[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	for _, call := range [][]string{
		{"item", "list", "--limit", "1"}, {"context"}, {"doctor"}, {"changelog"}, {"item", "delete", "--id", "1"},
		{"project", "overview", "--projects", "atlas,vault"}, {"item", "close", "--ids", "1", "--dry-run"},
	} {
		walk(tool.Run(call...).Document(), func(key string, _ any) {
			if !snake.MatchString(key) {
				t.Errorf("%v: the key %q", call, key)
			}
		})
	}
}

func TestQuietSilencesNotesAndNeverTheAnswer(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	ended := tool.Run("item", "get", "--id", "77777", "--quiet")
	ended.Fails("E_NOT_FOUND")
	if tool.Run("item", "get", "--id", "1", "--quiet").OK()["id"] != "1" {
		t.Error("the answer is missing")
	}
}

func TestTextIsForPeopleAndHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.API.Touch(1, "Evil \x1b[31mred\x07 title")
	ended := tool.Run("item", "get", "--id", "1", "--format", "text")
	if strings.HasPrefix(ended.Stdout, "{") || strings.ContainsAny(ended.Stdout, "\x1b\x07") {
		t.Errorf("the text is %q", ended.Stdout)
	}
	if !strings.Contains(ended.Stdout, "title: Evil \\u001b") {
		t.Errorf("the text is %q", ended.Stdout)
	}
	failed := tool.Run("item", "get", "--id", "77777", "--format", "text")
	if failed.Exit != 3 || failed.Stdout != "" || !strings.Contains(failed.Stderr, "E_NOT_FOUND") {
		t.Errorf("exit %d, stdout %q, stderr %q", failed.Exit, failed.Stdout, failed.Stderr)
	}
}

func TestRawPassesBytesThrough(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	if ended := tool.Run("item", "content", "--id", "1", "--format", "raw"); ended.Stdout != "Content of item 1\n" {
		t.Errorf("stdout is %q", ended.Stdout)
	}
	if data := tool.Run("item", "content", "--id", "1").OK(); data["content"] != "Content of item 1\n" {
		t.Errorf("the data is %v", data)
	}
}

func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal([]byte(read(t, "../package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if said := tool.Run("--version").Stdout; said != about.Tool+" "+manifest.Version+"\n" {
		t.Errorf("--version says %q", said)
	}
	if version := tool.Run("context").OK()["version"]; version != manifest.Version {
		t.Errorf("context says %v", version)
	}
	newest := testkit.List(t, tool.Run("changelog").OK(), "entries")[0]
	if newest["version"] != manifest.Version {
		t.Errorf("the newest entry of the changelog is %v", newest["version"])
	}
	skill := read(t, "../skills/"+about.Tool+"/SKILL.md")
	if !strings.Contains(skill, "\nversion: \""+manifest.Version+"\"\n") {
		t.Error("the Skill has another version")
	}
}

// walk visits each member of a document.
func walk(value any, visit func(key string, value any)) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			visit(key, inner)
			walk(inner, visit)
		}
	case []any:
		for _, inner := range value {
			walk(inner, visit)
		}
	}
}
