//go:build !windows

package test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"aos.invalid/tool/internal/runtime/testkit"
)

func TestASignalEndsACallWithOneEnvelope(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, call := range [][]string{
			{"item", "get", "--id", "1"}, {"item", "list"}, {"item", "delete", "--id", "1", "--dangerous", "--dry-run"}, {"doctor"},
			{"project", "overview", "--projects", "atlas"},
		} {
			tool := newTool(t)
			tool.API.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
				pause(r, 30*time.Second)
				return true
			})
			ended := tool.Interrupt(signal, func() bool { return len(tool.API.Requests()) > 0 }, call...)
			ended.Fails("E_INTERRUPTED")
			ended.Document()
		}
	}
}

func TestASignalEndsAStreamWithALineThatSaysSo(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	ended := tool.Interrupt(os.Interrupt, func() bool {
		time.Sleep(300 * time.Millisecond)
		return len(tool.API.Requests()) > 0
	}, "item", "watch", "--max-events", "100000", "--duration", "60")
	lines := ended.Lines()
	last := lines[len(lines)-1]
	if ended.Exit != 130 || last["ok"] != false || testkit.Member(t, last, "error")["code"] != "E_INTERRUPTED" || len(lines) > 1 && last["type"] != "summary" {
		t.Errorf("exit %d, %d lines, the last one %v", ended.Exit, len(lines), last)
	}
}

func TestASignalInABatchSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	call := []string{"item", "close", "--ids", ids(120)}
	token := tool.Token(call...)
	chunks := 0
	tool.API.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/bulk-close") {
			return false
		}
		if chunks++; chunks == 2 {
			pause(r, 30*time.Second)
			return true
		}
		return false
	})
	details := tool.Interrupt(os.Interrupt, func() bool { return tool.API.Mutations() == 2 }, append(call, "--confirm", token)...).Fails("E_INTERRUPTED")
	summary := testkit.Member(t, details, "summary")
	if toText(summary["succeeded"]) != "50" || toText(summary["skipped"]) != "70" {
		t.Errorf("the summary is %v", summary)
	}
	tool.Run(append(call, "--confirm", token)...).Fails("E_CONFLICT")
}

func TestAClosedPipeDoesNotChangeTheExit(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	command := tool.Command(context.Background(), "item", "get", "--id", "99999")
	command.Stdout = writer
	err = command.Run()
	_ = writer.Close()
	if command.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, exit %d", errors.Unwrap(err), command.ProcessState.ExitCode())
	}
}
