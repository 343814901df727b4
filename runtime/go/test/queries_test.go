package test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

func TestAListIsPagedByCursorAndNoItemIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	seen := map[string]bool{}
	var order []string
	cursor := []string{}
	for page := 0; ; page++ {
		data := tool.Run(append([]string{"item", "list", "--limit", "50"}, cursor...)...).OK()
		testkit.SameKeys(t, "item list", data, []string{"items", "count", "next_cursor", "has_more"})
		items := testkit.List(t, data, "items")
		if toText(data["count"]) != toText(len(items)) || len(items) > 50 {
			t.Fatalf("count is %v for %d items", data["count"], len(items))
		}
		for _, item := range items {
			id, _ := item["id"].(string)
			if id == "" || seen[id] {
				t.Fatalf("the id %v is no text or came twice", item["id"])
			}
			seen[id] = true
			order = append(order, id)
		}
		if data["has_more"] != true {
			if data["next_cursor"] != nil {
				t.Errorf("the last page has the cursor %v", data["next_cursor"])
			}
			break
		}
		next, _ := data["next_cursor"].(string)
		cursor = []string{"--cursor", next}
		if page > 5 {
			t.Fatal("the list does not end")
		}
	}
	if len(seen) != mock.SeedItems || order[0] != "1" || order[len(order)-1] != "130" {
		t.Errorf("%d items from %s to %s", len(seen), order[0], order[len(order)-1])
	}
}

func TestFiltersAreThoseOfTheUpstream(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	data := tool.Run("item", "list", "--project", "atlas", "--state", "open", "--query", "item 00", "--limit", "100").OK()
	if len(testkit.List(t, data, "items")) != 5 {
		t.Errorf("%d items", len(testkit.List(t, data, "items")))
	}
	requests := tool.API.Requests()
	query := requests[len(requests)-1].Query
	for _, wanted := range []string{"project=atlas", "state=open", "q=item+00", "limit=100"} {
		if !strings.Contains(query, wanted) {
			t.Errorf("the request %q lacks %s", query, wanted)
		}
	}
}

func TestAnEmptyListIsASuccess(t *testing.T) {
	t.Parallel()
	data := newTool(t).Run("item", "list", "--query", "no such title").OK()
	if len(testkit.List(t, data, "items")) != 0 || toText(data["count"]) != "0" || data["has_more"] != false {
		t.Errorf("the data is %v", data)
	}
}

func TestACursorOfAnotherListIsRefused(t *testing.T) {
	t.Parallel()
	newTool(t).Run("item", "list", "--cursor", "bm9uc2Vuc2U").Fails("E_VALIDATION")
}

func TestIdsAreTextsAndTimesAreInUTC(t *testing.T) {
	t.Parallel()
	data := newTool(t).Run("item", "get", "--id", "7").OK()
	if data["id"] != "7" {
		t.Errorf("the id is %v", data["id"])
	}
	for _, name := range []string{"created_at", "updated_at"} {
		text, _ := data[name].(string)
		if _, err := time.Parse(time.RFC3339, text); err != nil || !strings.HasSuffix(text, "Z") {
			t.Errorf("%s is %q", name, text)
		}
	}
}

func TestTextOfOtherPeopleIsMarked(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, call := range [][]string{
		{"item", "get", "--id", "1"}, {"item", "list", "--limit", "1"}, {"item", "content", "--id", "1"},
		{"item", "delete", "--id", "1", "--dangerous", "--dry-run"},
	} {
		marked := 0
		walk(tool.Run(call...).Document(), func(key string, value any) {
			object, ok := value.(map[string]any)
			if !ok {
				return
			}
			for _, name := range testkit.Texts(object["_untrusted"]) {
				if _, there := object[name]; !there {
					t.Errorf("%v: _untrusted names %q, which is not there", call, name)
				}
				marked++
			}
		})
		if call[1] == "content" || call[1] == "get" {
			marked += len(testkit.Texts(tool.Run(call...).OK()["_untrusted"]))
		}
		if call[1] == "list" {
			marked += len(testkit.Texts(testkit.List(t, tool.Run(call...).OK(), "items")[0]["_untrusted"]))
		}
		if marked == 0 {
			t.Errorf("%v: nothing is marked", call)
		}
	}
}

func TestFieldsKeepWhatWasAskedForAndWhatIsNeeded(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	data := tool.Run("item", "list", "--limit", "2", "--fields", "id,title").OK()
	testkit.SameKeys(t, "item list", data, []string{"items", "count", "next_cursor", "has_more"})
	for _, item := range testkit.List(t, data, "items") {
		testkit.SameKeys(t, "item", item, []string{"id", "title", "_untrusted"})
		if names := testkit.Texts(item["_untrusted"]); !slices.Equal(names, []string{"title"}) {
			t.Errorf("_untrusted is %v", names)
		}
	}
	testkit.SameKeys(t, "item get", tool.Run("item", "get", "--id", "1", "--fields", "id", "--fields", "state").OK(), []string{"id", "state"})
	details := tool.Run("item", "get", "--id", "1", "--fields", "id,owner").Fails("E_VALIDATION")
	if details["unknown_field"] != "owner" {
		t.Errorf("the details are %v", details)
	}
}

// queries are calls of each query, with one field of its data.
var queries = map[string][]string{
	"item list":        {"id", "--limit", "1"},
	"item get":         {"id", "--id", "1"},
	"item content":     {"size", "--id", "1"},
	"item watch":       {"kind", "--max-events", "1", "--after", "0", "--duration", "5"},
	"project overview": {"scope", "--projects", "atlas"},
	"reference":        {"tool"},
	"context":          {"version"},
	"doctor":           {"checks"},
	"changelog":        {"entries"},
}

// prepared brings an upstream to where a query has something to answer.
var prepared = map[string]func(*tool){}

func TestEveryQueryHasFields(t *testing.T) {
	t.Parallel()
	for path, call := range queries {
		tool := newTool(t)
		if prepare := prepared[path]; prepare != nil {
			prepare(tool)
		}
		arguments := append(strings.Fields(path), call[1:]...)
		ended := tool.Run(append(arguments, "--fields", call[0])...)
		if ended.Exit != 0 || !strings.Contains(ended.Stdout, `"`+call[0]+`"`) {
			t.Errorf("%s: exit %d\n%s", path, ended.Exit, ended.Stdout)
		}
		tool.Run(append(arguments, "--fields", "nothing_of_the_kind")...).Fails("E_VALIDATION")
	}
}

func TestAProjectThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	data := newTool(t).Run("project", "overview", "--projects", "atlas,vault,nowhere,borealis").OK()
	if len(testkit.List(t, data, "projects")) != 2 || toText(data["projects_scanned"]) != "2" {
		t.Errorf("the data is %v", data)
	}
	problems := testkit.List(t, data, "project_errors")
	if len(problems) != 2 || problems[0]["code"] != "E_FORBIDDEN" || problems[1]["code"] != "E_NOT_FOUND" {
		t.Errorf("the problems are %v", problems)
	}
}

func TestAStreamIsNDJSONWithASummaryAtItsEnd(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	lines := tool.Run("item", "watch", "--max-events", "3").Lines()
	if len(lines) != 4 {
		t.Fatalf("%d lines", len(lines))
	}
	for index, line := range lines {
		kind := "item"
		if index == 3 {
			kind = "summary"
		}
		if line["ok"] != true || line["schema_version"] != "1.0" || line["type"] != kind {
			t.Errorf("line %d is %v", index, line)
		}
	}
	summary := testkit.Member(t, lines[3], "data")
	if toText(summary["count"]) != "3" || toText(summary["last_sequence"]) != "3" {
		t.Errorf("the summary is %v", summary)
	}
	next := tool.Run("item", "watch", "--after", "3", "--max-events", "1").Lines()
	if first := testkit.Member(t, next[0], "data"); toText(first["sequence"]) != "4" {
		t.Errorf("the next event is %v", first)
	}
}

func TestAQuietStreamEndsByItself(t *testing.T) {
	t.Parallel()
	lines := newTool(t).Run("item", "watch", "--after", "130", "--duration", "1").Lines()
	if len(lines) != 1 || lines[0]["type"] != "summary" || lines[0]["ok"] != true {
		t.Errorf("the lines are %v", lines)
	}
}

func TestAStreamThatBreaksEndsWithAFailure(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/events" {
			return false
		}
		_, _ = w.Write([]byte(`{"sequence":1,"kind":"created","item_id":1,"title":"x","at":"2024-01-01T00:00:00Z"}` + "\nnonsense\n"))
		return true
	})
	ended := tool.Run("item", "watch")
	lines := ended.Lines()
	last := lines[len(lines)-1]
	if ended.Exit != 7 || len(lines) != 2 || last["ok"] != false || last["type"] != "summary" || testkit.Member(t, last, "error")["code"] != "E_SERVER" {
		t.Errorf("exit %d, lines %v", ended.Exit, lines)
	}
}

func TestAStreamThatCannotBeginIsOneEnvelope(t *testing.T) {
	t.Parallel()
	ended := newTool(t).As("not-a-known-token").Run("item", "watch")
	ended.Fails("E_AUTH")
	ended.Document()
}
