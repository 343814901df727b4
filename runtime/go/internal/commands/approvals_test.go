package commands_test

import "testing"

func TestAPersonDecidesAndTheAgentContinues(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("item", "publish", "--id", "1").Fails("E_HUMAN_REQUIRED")
	tool.Run("approval", "resume", "--id", "appr_1").Fails("E_HUMAN_REQUIRED")
	tool.API.Post("/mock/approvals/appr_1/approved")
	tool.Run("approval", "resume", "--id", "appr_1", "--fields", "state").Has("state", "published")
}

func TestAPersonRefuses(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("item", "publish", "--id", "1").Fails("E_HUMAN_REQUIRED")
	tool.API.Post("/mock/approvals/appr_1/rejected")
	tool.Run("approval", "resume", "--id", "appr_1").Fails("E_FORBIDDEN")
	tool.Run("approval", "resume", "--id", "../x").Fails("E_VALIDATION")
}
