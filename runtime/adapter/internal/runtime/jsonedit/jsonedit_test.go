package jsonedit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestADocumentThatIsNotJSONIsRefusedWithItsPlace(t *testing.T) {
	cases := map[string]string{
		`{"a": 1,}`:              "line 1, column 9: the name of a member must be here",
		"{\n  \"a\" 1}":          "line 2, column 7: a colon must be here",
		`[1, 2`:                  "line 1, column 6: a comma or ']' must be here",
		`[1,]`:                   "line 1, column 4: a value must be here",
		`{"a": "b}`:              "the string has no end",
		"\"a\nb\"":               "a string must not have a control character",
		`"\q"`:                   "the string has an escape that does not exist",
		`{"a": 1} x`:             "there is data after the document",
		`[01]`:                   "the number is not a JSON number",
		`/* no end`:              "the comment has no end",
		`nul`:                    "a value must be here",
		"{\"a\": \"\xff\"}":      "it is not text in UTF-8",
		strings.Repeat("[", 999): "it is nested too deeply",
	}
	for text, want := range cases {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40q) = %v, want %q", text, err, want)
		}
	}
	var syntax *SyntaxError
	if _, err := Parse([]byte("{\n\n  x")); !errors.As(err, &syntax) || syntax.Line != 3 || syntax.Column != 3 {
		t.Errorf("the place is %+v", syntax)
	}
	if _, err := Parse([]byte(strings.Repeat(" ", MaxSize+1))); err == nil {
		t.Error("a document over the limit was read")
	}
}

func TestCommentsAndAByteOrderMarkAreBlanks(t *testing.T) {
	document, err := Parse([]byte("\xef\xbb\xbf// one\n{ /* two */ \"a\": 1 // three\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := document.Root.Find("a")
	if err != nil || value == nil || document.Raw(value) != "1" {
		t.Fatalf("a = %v, %v", value, err)
	}
}

func TestAnEscapedNameIsTheSameName(t *testing.T) {
	document, err := Parse([]byte(`{"\u0061": 1, "a": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document.Root.Find("a"); err == nil {
		t.Fatal("the member that occurs twice was accepted")
	}
}

func TestRemoveKeepsCommentsBesideAnItem(t *testing.T) {
	cases := []struct {
		text, want string
		index      int
	}{
		{"[1, /* of two */ 2, 3]", "[1 /* of two */ , 3]", 1},
		{"[1, // of two\n 2]", "[1 // of two\n ]", 1},
		{"[1 /* of one */, 2]", "[ /* of one */ 2]", 0},
		{"[1, 2, 3]", "[1, 3]", 1},
		{"[1, 2]", "[2]", 0},
		{"[ 1 ]", "[  ]", 0},
	}
	for _, c := range cases {
		document, err := Parse([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(document.Remove(document.Root, c.index)); got != c.want {
			t.Errorf("Remove(%q, %d) = %q, want %q", c.text, c.index, got, c.want)
		}
	}
}

func TestInsertFollowsTheLayout(t *testing.T) {
	cases := map[string]string{
		"[]":                  "[0]",
		"[ /* c */ ]":         "[0 /* c */ ]",
		"[1]":                 "[1, 0]",
		"[1 // c\n]":          "[1, 0 // c\n]",
		"[\n\t1\n]":           "[\n\t1,\n\t0\n]",
		"[\r\n    1\r\n]\r\n": "[\r\n    1,\r\n    0\r\n]\r\n",
	}
	for text, want := range cases {
		document, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(document.Insert(document.Root, "0")); got != want {
			t.Errorf("Insert(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzParseAgreesWithTheStandardLibrary(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -0.5e3, "\u00e9", null, true]}`, `[]`, `""`, `1`, `{"a":1,}`, `[1 2]`, `{"a":{}}`, "\x00", `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := Parse(text)
		if json.Valid(text) && !strings.Contains(string(text), "\xff") {
			if err != nil && !strings.Contains(err.Error(), "UTF-8") && !strings.Contains(err.Error(), "nested") {
				t.Fatalf("valid JSON is refused: %v", err)
			}
		}
		// Comments and a byte order mark are accepted here, and they are not JSON.
		isMore := strings.Contains(string(text), "/") || strings.HasPrefix(string(text), "\ufeff")
		if err == nil && document.Root != nil && !isMore && !json.Valid(text) {
			t.Fatalf("invalid JSON is accepted: %q", text)
		}
	})
}
