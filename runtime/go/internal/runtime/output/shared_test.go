package output

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"aos.invalid/tool/internal/fixtures"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/redact"
)

type answers struct {
	About     string
	Documents []struct {
		Case     string
		Data     json.RawMessage
		Document string
	}
	Plain  []struct{ Text, Answer string }
	Fields []struct {
		Case   string
		Data   json.RawMessage
		Fields []string
		Answer any
	}
	Successes []struct {
		Case    string
		Data    json.RawMessage
		Notices []any
		Answer  any
	}
	Failures []struct {
		Case, Code, Message string
		Details             map[string]any
		Answer              any
	}
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	tree, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// same compares a tree, whose members are in order, with a value of a fixture.
func same(t *testing.T, name string, found []byte, wanted any) {
	t.Helper()
	var value any
	if err := json.Unmarshal(found, &value); err != nil || !reflect.DeepEqual(value, wanted) {
		t.Errorf("%s: %v: %s", name, err, found)
	}
}

func TestAnswersAreThoseOfEveryLanguage(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[answers](t, "envelopes.json")
	for _, row := range shared.Documents {
		encoded, err := encode(parsed(t, row.Data))
		if err != nil || string(visible(encoded)) != row.Document {
			t.Errorf("%s: %v: %s", row.Case, err, visible(encoded))
		}
	}
	for _, row := range shared.Plain {
		if text := Plain(row.Text); text != row.Answer {
			t.Errorf("%q became %q", row.Text, text)
		}
	}
	for _, row := range shared.Fields {
		narrowed, err := Fields(parsed(t, row.Data), row.Fields, row.Fields)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := encode(narrowed)
		if err != nil {
			t.Fatal(err)
		}
		same(t, row.Case, encoded, row.Answer)
	}
	for _, row := range shared.Successes {
		same(t, row.Case, printed(t, row.Notices, func(p *Printer) { _ = p.Success(parsed(t, row.Data)) }), row.Answer)
	}
	for _, row := range shared.Failures {
		failed := fault.New(row.Code, "%s", row.Message)
		for name, value := range row.Details {
			failed = failed.With(name, value)
		}
		same(t, row.Case, printed(t, nil, func(p *Printer) { p.Failure(failed) }), row.Answer)
	}
}

// printed is an envelope without the time that the run took.
func printed(t *testing.T, notices []any, print func(*Printer)) []byte {
	t.Helper()
	var out bytes.Buffer
	print(&Printer{Out: &out, Err: &out, Format: JSON, Redactor: &redact.Redactor{}, Started: time.Now(), Notices: notices})
	var envelope map[string]any
	if err := json.Unmarshal(out.Bytes(), &envelope); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	meta, _ := envelope["meta"].(map[string]any)
	if _, ok := meta["duration_ms"].(float64); !ok {
		t.Errorf("there is no duration: %s", out.Bytes())
	}
	delete(meta, "duration_ms")
	text, err := json.Marshal(envelope)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
