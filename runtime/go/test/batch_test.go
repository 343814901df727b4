package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"aos.invalid/tool/internal/runtime/testkit"
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
	items, summary := testkit.List(t, data, "items"), testkit.Member(t, data, "summary")
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
			testkit.SameKeys(t, "item", item, []string{"target", "ok"})
			continue
		}
		testkit.SameKeys(t, "item", item, []string{"target", "ok", "error"})
		problem := testkit.Member(t, item, "error")
		testkit.SameKeys(t, "error", problem, []string{"code", "retryable"})
		code, _ := problem["code"].(string)
		if wanted, known := independentCodes[code]; !known || problem["retryable"] != wanted.Retryable {
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
		data := tool.Run(append([]string{"item", "close", "--dry-run"}, call...)...).OK()
		preview := testkit.Member(t, data, "preview")
		testkit.SameKeys(t, "preview", preview, []string{"action", "targets", "total", "changes"})
		if targets := testkit.Texts(preview["targets"]); !slices.Equal(targets, []string{"9", "7", "8"}) || toText(preview["total"]) != "3" {
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
	tool.Confirm("item", "update", "--id", "8", "--labels", "locked").OK()
	data := tool.Confirm("item", "close", "--ids", "9,8,99999,7").OK()
	items := checkBatch(t, data, 4, 2, 2, 0)
	var order []string
	for _, item := range items {
		order = append(order, toText(item["target"]))
	}
	if !slices.Equal(order, []string{"9", "8", "99999", "7"}) {
		t.Errorf("the order is %v", order)
	}
	if code := testkit.Member(t, items[1], "error")["code"]; code != "E_FORBIDDEN" {
		t.Errorf("8: %v", code)
	}
	if code := testkit.Member(t, items[2], "error")["code"]; code != "E_NOT_FOUND" {
		t.Errorf("99999: %v", code)
	}
	if state := tool.API.State(7); state != "closed" {
		t.Errorf("7 is %s", state)
	}
}

func TestOneValueIsABatchOfOne(t *testing.T) {
	t.Parallel()
	checkBatch(t, newTool(t).Confirm("item", "close", "--ids", "1").OK(), 1, 1, 0, 0)
}

func TestATokenIsForTheWholeSet(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	token := tool.Token("item", "close", "--ids", "1,2,3")
	for _, other := range []string{"1,2", "1,2,3,4", "1,2,4", "3,2,1"} {
		tool.Run("item", "close", "--ids", other, "--confirm", token).Fails("E_CONFLICT")
	}
	tool.Run("item", "close", "--ids", "1", "--ids", "2,3", "--confirm", token).OK()
}

func TestALargeBatchIsSentInChunksOfWhatTheUpstreamTakes(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	checkBatch(t, tool.Confirm("item", "close", "--ids", ids(120)).OK(), 120, 120, 0, 0)
	if tool.API.Mutations() != 3 {
		t.Errorf("%d calls", tool.API.Mutations())
	}
	tool.Run("item", "close", "--ids", ids(501), "--dry-run").Fails("E_VALIDATION")
}

// failChunk makes the upstream fail each bulk call that has an id.
func failChunk(tool *tool, id string) {
	tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/bulk-close") {
			return false
		}
		requests := tool.API.Requests()
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
	items := checkBatch(t, tool.Confirm("item", "close", "--ids", ids(120)).OK(), 120, 70, 50, 0)
	if items[49]["ok"] != true || items[50]["ok"] != false || items[99]["ok"] != false || items[100]["ok"] != true {
		t.Error("the wrong targets failed")
	}
	if code := testkit.Member(t, items[50], "error")["code"]; code != "E_SERVER" {
		t.Errorf("the code is %v", code)
	}
}

func TestABatchThatStopsSaysWhatItSkipped(t *testing.T) {
	t.Parallel()
	for _, stop := range [][]string{{"--continue-on-error=false"}, {"--continue-on-error", "false"}} {
		tool := newTool(t)
		tool.Confirm("item", "update", "--id", "3", "--labels", "locked").OK()
		data := tool.Confirm(append([]string{"item", "close", "--ids", "1,2,3,4,5"}, stop...)...).OK()
		checkBatch(t, data, 5, 2, 1, 2)
		if state := tool.API.State(4); state != "open" {
			t.Errorf("4 is %s", state)
		}
	}
}

func TestABatchThatCannotRunIsAFailure(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("item", "close", "--ids", "", "--dry-run").Fails("E_VALIDATION")
	tool.Run("item", "close", "--ids", "1,x", "--dry-run").Fails("E_VALIDATION")
	tool.Run("item", "close", "--dry-run").Fails("E_USAGE")
}
