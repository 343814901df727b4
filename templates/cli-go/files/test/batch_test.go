package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// ids are the first ids, with commas.
func ids(to int) string {
	var list []string
	for id := 1; id <= to; id++ {
		list = append(list, fmt.Sprint(id))
	}
	return strings.Join(list, ",")
}

// checkBatch wants a result that adds up and gives its items.
func checkBatch(t *testing.T, data map[string]any, total, succeeded, failed, skipped int) []map[string]any {
	t.Helper()
	items, summary := list(t, data, "items"), member(t, data, "summary")
	for name, wanted := range map[string]int{"total": total, "succeeded": succeeded, "failed": failed, "skipped": skipped} {
		if toText(summary[name]) != toText(wanted) {
			t.Fatalf("%s is %v, not %d", name, summary[name], wanted)
		}
	}
	if len(items) != succeeded+failed {
		t.Fatalf("%d items", len(items))
	}
	for _, item := range items {
		if item["ok"] == true {
			sameKeys(t, "item", item, []string{"target", "ok"})
			continue
		}
		sameKeys(t, "item", item, []string{"target", "ok", "error"})
		problem := member(t, item, "error")
		sameKeys(t, "error", problem, []string{"code", "retryable"})
		code, _ := problem["code"].(string)
		if wanted, known := independentCodes[code]; !known || problem["retryable"] != wanted.retryable {
			t.Errorf("the error is %v", problem)
		}
	}
	return items
}

func TestTargetsAreGivenByCommaOrRepetition(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	var previews []string
	for _, call := range [][]string{
		{"--ids", "9,7,8"}, {"--ids", "9", "--ids", "7", "--ids", "8"}, {"--ids", "9,7", "--ids", "8,9"}, {"--ids=9, 7,8,7"},
	} {
		data := tool.run(append([]string{"item", "close", "--dry-run"}, call...)...).ok()
		preview := member(t, data, "preview")
		sameKeys(t, "preview", preview, []string{"action", "targets", "total", "changes"})
		if targets := texts(preview["targets"]); !slices.Equal(targets, []string{"9", "7", "8"}) || toText(preview["total"]) != "3" {
			t.Errorf("%v: %v", call, preview)
		}
		text, _ := json.Marshal(preview)
		previews = append(previews, string(text))
	}
	if len(slices.Compact(previews)) != 1 {
		t.Error("the previews differ")
	}
}

func TestABatchHasAResultForEachTarget(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.confirm("item", "update", "--id", "8", "--labels", "locked").ok()
	data := tool.confirm("item", "close", "--ids", "9,8,99999,7").ok()
	items := checkBatch(t, data, 4, 2, 2, 0)
	var order []string
	for _, item := range items {
		order = append(order, toText(item["target"]))
	}
	if !slices.Equal(order, []string{"9", "8", "99999", "7"}) {
		t.Errorf("the order is %v", order)
	}
	if code := member(t, items[1], "error")["code"]; code != "E_FORBIDDEN" {
		t.Errorf("8: %v", code)
	}
	if code := member(t, items[2], "error")["code"]; code != "E_NOT_FOUND" {
		t.Errorf("99999: %v", code)
	}
	if state, _ := tool.upstream.Exists(7); state != "closed" {
		t.Errorf("7 is %s", state)
	}
}

func TestOneValueIsABatchOfOne(t *testing.T) {
	t.Parallel()
	checkBatch(t, newTool(t).confirm("item", "close", "--ids", "1").ok(), 1, 1, 0, 0)
}

func TestATokenIsForTheWholeSet(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	token := tool.token("item", "close", "--ids", "1,2,3")
	for _, other := range []string{"1,2", "1,2,3,4", "1,2,4", "3,2,1"} {
		tool.run("item", "close", "--ids", other, "--confirm", token).fails("E_CONFLICT")
	}
	tool.run("item", "close", "--ids", "1", "--ids", "2,3", "--confirm", token).ok()
}

func TestALargeBatchIsSentInChunksOfWhatTheUpstreamTakes(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	checkBatch(t, tool.confirm("item", "close", "--ids", ids(120)).ok(), 120, 120, 0, 0)
	if tool.mutations() != 3 {
		t.Errorf("%d calls", tool.mutations())
	}
	tool.run("item", "close", "--ids", ids(501), "--dry-run").fails("E_VALIDATION")
}

// failChunk makes the upstream fail each bulk call that has an id.
func failChunk(tool *tool, id string) {
	tool.upstream.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/bulk-close") {
			return false
		}
		requests := tool.upstream.Requests()
		if !strings.Contains(requests[len(requests)-1].Body, `"`+id+`"`) {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
}

func TestAChunkThatFailsIsTheFailureOfItsTargetsAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	failChunk(tool, "60")
	items := checkBatch(t, tool.confirm("item", "close", "--ids", ids(120)).ok(), 120, 70, 50, 0)
	if items[49]["ok"] != true || items[50]["ok"] != false || items[99]["ok"] != false || items[100]["ok"] != true {
		t.Error("the wrong targets failed")
	}
	if code := member(t, items[50], "error")["code"]; code != "E_SERVER" {
		t.Errorf("the code is %v", code)
	}
}

func TestABatchThatStopsSaysWhatItSkipped(t *testing.T) {
	t.Parallel()
	for _, stop := range [][]string{{"--continue-on-error=false"}, {"--continue-on-error", "false"}} {
		tool := newTool(t)
		tool.confirm("item", "update", "--id", "3", "--labels", "locked").ok()
		data := tool.confirm(append([]string{"item", "close", "--ids", "1,2,3,4,5"}, stop...)...).ok()
		checkBatch(t, data, 5, 2, 1, 2)
		if state, _ := tool.upstream.Exists(4); state != "open" {
			t.Errorf("4 is %s", state)
		}
	}
}

func TestABatchThatCannotRunIsAFailure(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.run("item", "close", "--ids", "", "--dry-run").fails("E_VALIDATION")
	tool.run("item", "close", "--ids", "1,x", "--dry-run").fails("E_VALIDATION")
	tool.run("item", "close", "--dry-run").fails("E_USAGE")
}
