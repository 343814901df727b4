package test

import (
	"testing"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/testkit"
)

func init() {
	queries["approval resume"] = []string{"state", "--id", "appr_1"}
	prepared["approval resume"] = func(tool *tool) {
		tool.Confirm("item", "publish", "--id", "1").Fails("E_HUMAN_REQUIRED")
		tool.API.Post("/mock/approvals/appr_1/approved")
	}
}

func TestAStepForAPersonIsPassedOnAndResumed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	resume := []string{"approval", "resume", "--id", "appr_1"}
	for _, ended := range []*testkit.Result{tool.Confirm("item", "publish", "--id", "1"), tool.Run(resume...)} {
		details := ended.Fails("E_HUMAN_REQUIRED")
		if ended.Exit != 9 || details["action"] != "approve_in_app" || details["resume"] != about.Tool+" approval resume --id appr_1" {
			t.Errorf("exit %d, details %v", ended.Exit, details)
		}
		ended.Document()
	}
	tool.API.Post("/mock/approvals/appr_1/approved")
	if data := tool.Run(resume...).OK(); data["id"] != "1" || data["state"] != "published" {
		t.Errorf("the data is %v", data)
	}
}

func TestAStepThatAPersonRefuses(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("item", "publish", "--id", "1").Fails("E_HUMAN_REQUIRED")
	tool.API.Post("/mock/approvals/appr_1/rejected")
	tool.Run("approval", "resume", "--id", "appr_1").Fails("E_FORBIDDEN")
	tool.Run("approval", "resume", "--id", "appr_9").Fails("E_NOT_FOUND")
	tool.Run("approval", "resume", "--id", "../x").Fails("E_VALIDATION")
	if state := tool.API.State(1); state != "open" {
		t.Errorf("the item is %s", state)
	}
}
