package commands_test

import (
	"testing"

	"aos.invalid/tool/internal/mock"
)

func TestAnExportIsStartedPolledAndFetched(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("export", "start", "--project", "atlas").Has("job_id", "job_1").Has("status", "pending")
	tool.Run("job", "result", "--id", "job_1").Fails("E_CONFLICT")
	tool.Run("job", "status", "--id", "job_1").Has("status", "running")
	tool.Run("job", "status", "--id", "job_1", "--fields", "status").Has("status", "succeeded")
	tool.Run("job", "result", "--id", "job_1", "--fields", "id,title").Has("items.0.id", 1).Has("count", 65)
}

func TestAJobThatFailsIsAFailure(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("export", "start", "--project", mock.BrokenProject).Has("status", "pending")
	tool.Run("job", "status", "--id", "job_1").Has("status", "running")
	tool.Run("job", "status", "--id", "job_1").Fails("E_SERVER")
	tool.Run("job", "status", "--id", "1").Fails("E_VALIDATION")
}
