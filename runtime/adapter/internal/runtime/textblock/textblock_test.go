package textblock

import (
	"bytes"
	"strings"
	"testing"
)

var block = Block{Begin: "# begin", Glued: "# begin, glued", End: "# end"}

var texts = []string{"", "\n", "a", "a\n", "a\r\nb\r\n", "a\r\nb", "\n\n", "\xef\xbb\xbfa", "# begin of something else\n", "  # indented\n"}

func TestTakeGivesBackTheText(t *testing.T) {
	for _, text := range texts {
		roundTrip(t, []byte(text))
	}
}

func roundTrip(t *testing.T, text []byte) {
	t.Helper()
	with, err := block.Put(Text{Bytes: text, Found: true}, []string{"one", "two"})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	again, err := block.Put(Text{Bytes: with, Found: true}, []string{"one", "two"})
	if err != nil || !bytes.Equal(again, with) {
		t.Errorf("%q: a second block made %q of %q: %v", text, again, with, err)
	}
	rest, err := block.Take(Text{Bytes: with})
	if err != nil || !rest.Had || rest.Ours || !bytes.Equal(rest.Bytes, text) {
		t.Errorf("%q became %q and then %+v: %v", text, with, rest, err)
	}
}

func TestAFileThatPutCreatedIsOurs(t *testing.T) {
	with, err := block.Put(Text{}, []string{"one"})
	if err != nil || string(with) != "# begin\none\n# end\n" {
		t.Fatalf("%q, %v", with, err)
	}
	if rest, err := block.Take(Text{Bytes: with}); err != nil || !rest.Ours {
		t.Errorf("%+v, %v", rest, err)
	}
}

func TestTheBlockIsReplacedInItsPlace(t *testing.T) {
	got, err := block.Put(Text{Bytes: []byte("a\n# begin\nold\n# end\nb\n"), Found: true}, []string{"new"})
	if err != nil || string(got) != "a\n# begin\nnew\n# end\nb\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestABrokenBlockIsRefused(t *testing.T) {
	cases := map[string]string{
		"# begin\nx\n":                            "has no end",
		"x\n# end\n":                              "does not begin",
		"# begin\n# end\n# begin\n# end\n":        "occurs twice",
		"# begin\n# begin\n# end\n":               "occurs twice",
		"# begin\n# end\n# end\n":                 "does not begin",
		"# begin, glued\n# end\n# begin\n# end\n": "occurs twice",
		"a\r":  "carriage return",
		"\xff": "UTF-8",
	}
	for text, want := range cases {
		if _, err := block.Put(Text{Bytes: []byte(text)}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Put(%q): %v, want %q", text, err, want)
		}
		if _, err := block.Take(Text{Bytes: []byte(text)}); err == nil {
			t.Errorf("Take(%q) succeeded", text)
		}
	}
}

func TestHiddenLinesAreNotMarkers(t *testing.T) {
	text := Text{Bytes: []byte("\"\"\"\n# begin\n\"\"\"\n"), Hidden: func(line int) bool { return line == 1 }}
	if rest, err := block.Take(text); err != nil || rest.Had {
		t.Errorf("%+v, %v", rest, err)
	}
}

func FuzzTakeGivesBackTheText(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := block.Put(Text{Bytes: text, Found: true}, nil); err == nil && !bytes.Contains(text, []byte("# begin")) {
			roundTrip(t, text)
		}
	})
}
