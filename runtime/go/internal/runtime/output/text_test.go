package output

import (
	"encoding/json"
	"strings"
	"testing"
)

const hostile = "a\x1b[2J\n::error file=x::forged\r#" + "#[error]x\u202e\u009b\u2028\u200b\x7f"

func assertFit(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\r\x7f\u202e\u009b\u2028\u200b") || strings.Contains(text, "#"+"#[") {
		t.Errorf("it reaches the terminal as it is: %q", text)
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a workflow runner would carry out %q", line)
		}
	}
}

func TestNoTextFromOutsideReachesATerminalAsItIs(t *testing.T) {
	assertFit(t, Plain(hostile))
	assertFit(t, renderText(Object{{hostile, hostile}, {"list", []any{hostile, Object{{"x", hostile}}}}}))
}

func TestADocumentKeepsItsValues(t *testing.T) {
	encoded, err := encode(Object{{"a", hostile}})
	if err != nil {
		t.Fatal(err)
	}
	shown := visible(encoded)
	assertFit(t, string(shown))
	var back map[string]string
	if err := json.Unmarshal(shown, &back); err != nil || back["a"] != hostile {
		t.Errorf("%v: %q", err, back)
	}
}
