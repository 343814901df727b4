package strictjson

import (
	"strings"
	"testing"
)

func TestADocumentThatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	for text, reason := range map[string]string{
		``:                           "not JSON",
		`{"a":1`:                     "not JSON",
		`{"a" 1}`:                    "not JSON",
		`{"a":1}]`:                   "behind",
		`{"a":1} {"b":2}`:            "behind",
		`{"a":1,"a":2}`:              "twice",
		`[{"b":{"a":1,"a":2}}]`:      "twice",
		strings.Repeat("[", 200_000): "deeply",
		strings.Repeat(`{"a":`, 65) + strings.Repeat("}", 65): "deeply",
	} {
		if err := Check([]byte(text), Exact); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestNamesThatDifferByCaseAloneAreForData(t *testing.T) {
	text := []byte(`{"Label":1,"label":2}`)
	if err := Check(text, Exact); err != nil {
		t.Error(err)
	}
	if err := Check(text, Folded); err == nil {
		t.Error("it was accepted")
	}
}

func TestOneDocumentIsRead(t *testing.T) {
	var into struct {
		Name string `json:"name"`
	}
	if err := Unmarshal([]byte(" {\"name\":\"x\", \"other\": [1, {\"name\": 2}]}\n"), Folded, &into); err != nil || into.Name != "x" {
		t.Errorf("%v %v", into, err)
	}
}
