package strictjson

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"aos.invalid/tool/internal/fixtures"
)

type document struct {
	Case    string
	Text    string
	Base64  []byte
	Open    string
	Times   int
	Inner   string
	Close   string
	Answer  any
	Refused string
	Folded  string
	NotIn   []string `json:"not_in"`
}

func (d document) bytes() []byte {
	switch {
	case d.Base64 != nil:
		return d.Base64
	case d.Times > 0:
		return []byte(strings.Repeat(d.Open, d.Times) + d.Inner + strings.Repeat(d.Close, d.Times))
	}
	return []byte(d.Text)
}

// reasons are what an error says about each kind of refusal.
var reasons = map[string]string{
	"syntax": "not JSON", "encoding": "not UTF-8", "twice": "duplicate", "depth": "deeply", "number": "number", "more": "data after",
}

func TestDocumentsAreReadAsInEveryLanguage(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[struct {
		About string
		Cases []document
	}](t, "strict_json.json")
	for _, row := range shared.Cases {
		if slices.Contains(row.NotIn, "go") {
			continue
		}
		var read any
		wants(t, row.Case, row.Refused, Unmarshal(row.bytes(), Exact, &read))
		if row.Refused == "" && row.Answer != nil && !reflect.DeepEqual(read, row.Answer) {
			t.Errorf("%s: %v", row.Case, read)
		}
		folded := row.Refused
		if row.Folded != "" {
			folded = row.Folded
		}
		wants(t, row.Case+", folded", folded, Check(row.bytes(), Folded))
	}
}

func wants(t *testing.T, name, refused string, err error) {
	t.Helper()
	switch {
	case refused == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case refused != "" && (err == nil || !strings.Contains(err.Error(), reasons[refused])):
		t.Errorf("%s: %v", name, err)
	}
}

func TestADocumentIsReadIntoAType(t *testing.T) {
	t.Parallel()
	var into struct {
		Name string `json:"name"`
	}
	if err := Unmarshal([]byte(" {\"name\":\"x\", \"other\": [1, {\"name\": 2}]}\n"), Folded, &into); err != nil || into.Name != "x" {
		t.Errorf("%v %v", into, err)
	}
}
