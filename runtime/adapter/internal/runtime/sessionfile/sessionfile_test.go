package sessionfile

import (
	"os"
	"strings"
	"testing"
)

func TestANameIsAlwaysAFileName(t *testing.T) {
	cases := map[string]string{
		"": "session", "a/b": "a-b", "../..": "session", "s_1.x": "s-1-x", strings.Repeat("é", 300): "session", "-a-": "a",
	}
	for text, want := range cases {
		if got := Name(text); got != want {
			t.Errorf("Name(%.20q) = %q, want %q", text, got, want)
		}
	}
	if got := Name(strings.Repeat("x", 300)); len(got) != 100 {
		t.Errorf("the name has %d letters", len(got))
	}
}

func TestAFileIsWrittenBelowTheDataDirectory(t *testing.T) {
	data := t.TempDir()
	path, err := WriteJSON(data, "acme", "s/1", "settings", map[string]string{"a": "<b>&c"})
	if err != nil || !strings.HasPrefix(path, data) {
		t.Fatalf("%q, %v", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "{\n  \"a\": \"<b>&c\"\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := WriteJSON(" ", "acme", "s", "settings", nil); err == nil {
		t.Error("a file was written without a data directory")
	}
	if _, err := WriteText("", "acme", "s", "prompt", ""); err == nil {
		t.Error("a file was written without a data directory")
	}
	if _, err := WriteJSON(data, "acme", "s", "settings", func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
}
