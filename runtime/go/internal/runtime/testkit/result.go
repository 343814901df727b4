package testkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Result is what one call left.
type Result struct {
	T      *testing.T
	Call   string
	Stdout string
	Stderr string
	Exit   int
}

// Document reads stdout as the one JSON document of the contract.
func (r *Result) Document() map[string]any {
	r.T.Helper()
	var document map[string]any
	decoder := json.NewDecoder(strings.NewReader(r.Stdout))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		r.T.Fatalf("%s: stdout is not a JSON document: %v\n%s%s", r.Call, err, r.Stdout, r.Stderr)
	}
	if decoder.More() || !strings.HasSuffix(r.Stdout, "\n") || strings.HasSuffix(r.Stdout, "\n\n") {
		r.T.Fatalf("%s: stdout is more than one document:\n%s", r.Call, r.Stdout)
	}
	r.envelope(document)
	return document
}

// Lines reads stdout as NDJSON.
func (r *Result) Lines() []map[string]any {
	r.T.Helper()
	var lines []map[string]any
	for line := range strings.Lines(r.Stdout) {
		var document map[string]any
		if err := json.Unmarshal([]byte(line), &document); err != nil {
			r.T.Fatalf("%s: a line is not JSON: %v\n%s", r.Call, err, line)
		}
		lines = append(lines, document)
	}
	return lines
}

// OK wants a success and returns its data.
func (r *Result) OK() map[string]any {
	r.T.Helper()
	document := r.Document()
	if document["ok"] != true || r.Exit != 0 {
		r.T.Fatalf("%s: not a success, exit %d:\n%s%s", r.Call, r.Exit, r.Stdout, r.Stderr)
	}
	data, _ := document["data"].(map[string]any)
	return data
}

// Has wants a success whose data has a value at a path: `items.0.id` is the id of the first item.
func (r *Result) Has(path string, wanted any) *Result {
	r.T.Helper()
	if found := At(r.OK(), path); fmt.Sprint(found) != fmt.Sprint(wanted) {
		r.T.Errorf("%s: %s is %v, not %v", r.Call, path, found, wanted)
	}
	return r
}

// Fails wants a failure with a code, its exit and retryable by the table of the tests, and a fix. It returns the details.
func (r *Result) Fails(code string) map[string]any {
	r.T.Helper()
	failed := r.Failure()
	if failed["code"] != code {
		r.T.Fatalf("%s: the code is %v, not %s:\n%s%s", r.Call, failed["code"], code, r.Stdout, r.Stderr)
	}
	wanted, known := codes[code]
	if !known || r.Exit != wanted.Exit || failed["retryable"] != wanted.Retryable {
		r.T.Fatalf("%s: exit %d and retryable %v do not fit %s", r.Call, r.Exit, failed["retryable"], code)
	}
	details, _ := failed["details"].(map[string]any)
	if fix, _ := details["fix"].(string); fix == "" {
		r.T.Fatalf("%s: the failure names no fix:\n%s", r.Call, r.Stdout)
	}
	return details
}

// Failure wants a failure and returns its error object.
func (r *Result) Failure() map[string]any {
	r.T.Helper()
	document := r.Document()
	failed, ok := document["error"].(map[string]any)
	if document["ok"] != false || !ok || r.Exit == 0 {
		r.T.Fatalf("%s: not a failure, exit %d:\n%s%s", r.Call, r.Exit, r.Stdout, r.Stderr)
	}
	return failed
}

// Message is the message of a failure.
func (r *Result) Message() string {
	r.T.Helper()
	message, _ := r.Failure()["message"].(string)
	return message
}

// Keys of the envelope, from the text of the contract.
var (
	successKeys = []string{"ok", "schema_version", "data", "meta"}
	failureKeys = []string{"ok", "schema_version", "error", "meta"}
	errorKeys   = []string{"code", "message", "details", "retryable"}
)

// envelope holds one document against the shape of the contract.
func (r *Result) envelope(document map[string]any) {
	r.T.Helper()
	wanted := successKeys
	if document["ok"] == false {
		wanted = failureKeys
		failed := Member(r.T, document, "error")
		SameKeys(r.T, r.Call, failed, errorKeys)
		if _, ok := failed["details"].(map[string]any); !ok {
			r.T.Errorf("%s: details is not an object", r.Call)
		}
	}
	SameKeys(r.T, r.Call, document, wanted)
	if (document["ok"] == true) != (r.Exit == 0) {
		r.T.Errorf("%s: ok is %v and the exit %d", r.Call, document["ok"], r.Exit)
	}
	if document["schema_version"] != "1.0" {
		r.T.Errorf("%s: schema_version is %v", r.Call, document["schema_version"])
	}
	meta := Member(r.T, document, "meta")
	for name := range meta {
		if name != "duration_ms" && name != "notices" {
			r.T.Errorf("%s: meta has %s", r.Call, name)
		}
	}
	if duration, err := strconv.Atoi(fmt.Sprint(meta["duration_ms"])); err != nil || duration < 0 {
		r.T.Errorf("%s: duration_ms is %v", r.Call, meta["duration_ms"])
	}
}

// At returns the value at a path of names and indexes, nil when there is none.
func At(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[step]
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(inner) {
				return nil
			}
			value = inner[index]
		default:
			return nil
		}
	}
	return value
}

// SameKeys wants exactly these keys in an object.
func SameKeys(t *testing.T, call string, object map[string]any, wanted []string) {
	t.Helper()
	found := Keys(object)
	wanted = slices.Sorted(slices.Values(wanted))
	if !slices.Equal(found, wanted) {
		t.Errorf("%s: the keys are %v, not %v", call, found, wanted)
	}
}

// Keys are the keys of an object in order.
func Keys(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// List returns a member that is a list of objects.
func List(t *testing.T, data map[string]any, name string) []map[string]any {
	t.Helper()
	values, ok := data[name].([]any)
	if !ok {
		t.Fatalf("%s is not a list: %v", name, data[name])
	}
	objects := make([]map[string]any, len(values))
	for index, value := range values {
		if objects[index], ok = value.(map[string]any); !ok {
			t.Fatalf("%s has something that is not an object: %v", name, value)
		}
	}
	return objects
}

// Member returns a member that is an object.
func Member(t *testing.T, data map[string]any, name string) map[string]any {
	t.Helper()
	object, ok := data[name].(map[string]any)
	if !ok {
		t.Fatalf("%s is not an object: %v", name, data[name])
	}
	return object
}

// Texts returns the texts of a list.
func Texts(values any) []string {
	entries, _ := values.([]any)
	converted := make([]string, len(entries))
	for index, value := range entries {
		converted[index], _ = value.(string)
	}
	return converted
}
