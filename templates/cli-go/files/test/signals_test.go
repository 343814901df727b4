//go:build !windows

package test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupt starts a call and sends a signal when ready says so.
func (tool *tool) interrupt(signal os.Signal, ready func() bool, arguments ...string) *result {
	tool.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	command := tool.command(ctx, arguments...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Start(); err != nil {
		tool.t.Fatal(err)
	}
	for started := time.Now(); !ready() && time.Since(started) < runLimit; {
		time.Sleep(5 * time.Millisecond)
	}
	_ = command.Process.Signal(signal)
	_ = command.Wait()
	ended := &result{
		t: tool.t, call: strings.Join(arguments, " "), stdout: stdout.String(), stderr: stderr.String(),
		exit: command.ProcessState.ExitCode(),
	}
	record(arguments, ended)
	return ended
}

func TestASignalEndsACallWithOneEnvelope(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, call := range [][]string{
			{"item", "get", "--id", "1"}, {"item", "list"}, {"item", "delete", "--id", "1", "--dangerous", "--dry-run"}, {"doctor"},
			{"project", "overview", "--projects", "atlas"},
		} {
			tool := newTool(t)
			tool.upstream.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
				pause(r, 30*time.Second)
				return true
			})
			ended := tool.interrupt(signal, func() bool { return len(tool.upstream.Requests()) > 0 }, call...)
			ended.fails("E_INTERRUPTED")
			checkEnvelope(t, ended)
		}
	}
}

func TestASignalEndsAStreamWithALineThatSaysSo(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	ended := tool.interrupt(os.Interrupt, func() bool {
		time.Sleep(300 * time.Millisecond)
		return len(tool.upstream.Requests()) > 0
	}, "item", "watch", "--max-events", "100000", "--duration", "60")
	lines := ended.lines()
	last := lines[len(lines)-1]
	if ended.exit != 130 || last["ok"] != false || member(t, last, "error")["code"] != "E_INTERRUPTED" || len(lines) > 1 && last["type"] != "summary" {
		t.Errorf("exit %d, %d lines, the last one %v", ended.exit, len(lines), last)
	}
}

func TestASignalInABatchSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	call := []string{"item", "close", "--ids", ids(120)}
	token := tool.token(call...)
	chunks := 0
	tool.upstream.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/bulk-close") {
			return false
		}
		if chunks++; chunks == 2 {
			pause(r, 30*time.Second)
			return true
		}
		return false
	})
	details := tool.interrupt(os.Interrupt, func() bool { return tool.mutations() == 2 }, append(call, "--confirm", token)...).fails("E_INTERRUPTED")
	summary := member(t, details, "summary")
	if toText(summary["succeeded"]) != "50" || toText(summary["skipped"]) != "70" {
		t.Errorf("the summary is %v", summary)
	}
	tool.run(append(call, "--confirm", token)...).fails("E_CONFLICT")
}

func TestAClosedPipeDoesNotChangeTheExit(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	command := tool.command(context.Background(), "item", "get", "--id", "99999")
	command.Stdout = writer
	err = command.Run()
	_ = writer.Close()
	if command.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, exit %d", errors.Unwrap(err), command.ProcessState.ExitCode())
	}
}
