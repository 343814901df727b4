package described

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"aos.invalid/tool/internal/fixtures"
	"aos.invalid/tool/internal/runtime/output"
)

type serials struct {
	About      string
	Parameters []struct {
		In, Kind, Style  string
		Described, Value json.RawMessage
		Text             *string
	}
	Forms []struct {
		Case, Sent  string
		ContentType string `json:"content_type"`
		Members     []struct {
			Name, Kind, Style string
			Value             json.RawMessage
		}
	}
	JSON []struct {
		Case, Sent string
		Members    json.RawMessage
	}
	Typed []struct {
		Text string
		Sent any
	}
}

func value(t *testing.T, text []byte) any {
	t.Helper()
	found, err := output.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sent is the request of an operation with these inputs.
func sent(t *testing.T, kind string, inputs ...given) string {
	t.Helper()
	operation := &Operation{Method: http.MethodPost, Path: "/x", ContentType: kind}
	found, err := request(operation, inputs, nil)
	if err != nil || found.Data == nil {
		t.Fatalf("no body: %v", err)
	}
	_, boundary, _ := strings.Cut(found.Data.Type, "boundary=")
	text := string(found.Data.Content)
	if boundary != "" {
		text = strings.ReplaceAll(text, boundary, "{boundary}")
	}
	return text
}

func TestParametersAreWrittenAsInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, row := range fixtures.Read[serials](t, "serial.json").Parameters {
		input := given{&Input{Flag: "color", Name: "color", Place: row.In, Style: row.Style}, value(t, row.Value)}
		operation := &Operation{Method: http.MethodGet, Path: "/x"}
		if row.In == "path" {
			operation.Path = "/x/{color}/y"
		}
		found, err := request(operation, []given{input}, nil)
		if row.Text == nil {
			if err == nil {
				t.Errorf("%s is sent", row.Value)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.Value, err)
		}
		text := found.Header["color"]
		switch row.In {
		case "path":
			text = strings.TrimSuffix(strings.TrimPrefix(found.Target, "/x/"), "/y")
		case "query":
			_, text, _ = strings.Cut(found.Target, "?")
		}
		if text != *row.Text {
			t.Errorf("%s %s of %s is %q, not %q", row.In, row.Style, row.Value, text, *row.Text)
		}
	}
}

func TestBodiesAreWrittenAsInEveryLanguage(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[serials](t, "serial.json")
	for _, row := range shared.Forms {
		inputs := []given{}
		for _, each := range row.Members {
			place := "body"
			if each.Name == "" {
				place = "whole"
			}
			input := &Input{Name: each.Name, Place: place, Kind: each.Kind, Style: each.Style}
			inputs = append(inputs, given{input, value(t, each.Value)})
		}
		if text := sent(t, row.ContentType, inputs...); text != row.Sent {
			t.Errorf("%s is %q", row.Case, text)
		}
	}
	for _, row := range shared.JSON {
		inputs := []given{}
		members, _ := value(t, row.Members).(output.Object)
		for _, each := range members {
			inputs = append(inputs, given{&Input{Name: each.Key, Place: "body"}, each.Value})
		}
		if text := sent(t, "application/json", inputs...); text != row.Sent {
			t.Errorf("%s is %q", row.Case, text)
		}
	}
}

func TestTextsAreTheNumbersThatTheyAre(t *testing.T) {
	t.Parallel()
	for _, row := range fixtures.Read[serials](t, "serial.json").Typed {
		found, err := typed("color", row.Text)
		if (err != nil) != (row.Sent == nil) {
			t.Errorf("%q: %v", row.Text, err)
		}
		var same any
		if err == nil && (json.Unmarshal([]byte(jsonText(found)), &same) != nil || !reflect.DeepEqual(same, row.Sent)) {
			t.Errorf("%q is sent as %v", row.Text, found)
		}
	}
}
