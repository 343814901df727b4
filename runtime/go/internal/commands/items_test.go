package commands_test

import (
	"testing"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

func TestItemsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	list := []string{"item", "list", "--project", "atlas", "--state", "open", "--query", "item", "--limit", "2"}
	page := tool.Run(list...).Has("count", 2).Has("items.0.id", 1).OK()
	cursor, _ := page["next_cursor"].(string)
	tool.Run(append(list, "--cursor", cursor, "--fields", "id")...).Has("items.0.id", 5)
	tool.Run("item", "list", "--cursor", "bm9uc2Vuc2U").Fails("E_VALIDATION")
}

func TestAnItemIsShownWithItsContent(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("item", "get", "--id", "7", "--fields", "id,title").Has("id", 7).Has("_untrusted.0", "title")
	tool.Run("item", "content", "--id", "7", "--fields", "content").Has("content", "Content of item 7\n")
	tool.Run("item", "get", "--id", "99999").Fails("E_NOT_FOUND")
	tool.Run("item", "get", "--id", "../7").Fails("E_VALIDATION")
}

func TestChangesOfItemsAreStreamed(t *testing.T) {
	t.Parallel()
	watch := []string{"item", "watch", "--after", "128", "--max-events", "2", "--duration", "5", "--fields", "sequence"}
	lines := newTool(t).Run(watch...).Lines()
	if len(lines) != 3 || testkit.At(lines[2], "data.last_sequence") != float64(130) {
		t.Errorf("the lines are %v", lines)
	}
}

func TestAnItemIsCreatedOnceForItsKey(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	create := []string{
		"item", "create", "--project", "atlas", "--title", "New", "--labels", "a,b", "--content", "text", "--idempotency-key", "order-4711",
	}
	tool.Run(create...).Fails("E_CONFIRMATION_REQUIRED")
	tool.Confirm(create...).Has("id", mock.SeedItems+1).Has("labels.1", "b")
	tool.Confirm(create...).Has("id", mock.SeedItems+1)
}

func TestAnItemIsChangedOnlyAsItWasPreviewed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	update := []string{"item", "update", "--id", "2", "--title", "Better", "--state", "closed", "--labels", "c"}
	token := tool.Token(update...)
	tool.API.Touch(2, "somebody else was here")
	tool.Run(append(update, "--confirm", token)...).Fails("E_CONFLICT")
	tool.Confirm(update...).Has("title", "Better").Has("state", "closed")
	tool.As(mock.TokenReader).Run(append(update, "--dry-run")...).Fails("E_FORBIDDEN")
}

func TestAnItemIsDeletedWithTheDangerousFlagAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("item", "delete", "--id", "3", "--dry-run").Fails("E_CONFIRMATION_REQUIRED")
	tool.Confirm("item", "delete", "--id", "3", "--dangerous").Has("deleted", true)
	tool.Run("item", "get", "--id", "3").Fails("E_NOT_FOUND")
}

func TestABatchHasAResultForEachItem(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Confirm("item", "close", "--ids", "4,99999,5").Has("summary.succeeded", 2).Has("items.1.error.code", "E_NOT_FOUND")
	tool.Confirm("item", "close", "--ids", "99999,6", "--continue-on-error", "false").Has("summary.skipped", 1)
	if state := tool.API.State(6); state != "open" {
		t.Errorf("the item is %s", state)
	}
}

func TestAProjectThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	overview := newTool(t).Run("project", "overview", "--projects", "atlas,vault", "--fields", "projects,project_errors")
	overview.Has("projects.0.open", 65).Has("project_errors.0.code", "E_FORBIDDEN")
}
