//go:build !windows

package test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aos.invalid/tool/internal/runtime/self"
)

// Files of the directory of state, and a call that looks at each of them.
var stateFiles = map[string][]string{
	"config.json":         {"context"},
	"notices.json":        {"context"},
	"credentials.enc":     {"auth", "logout", "--dry-run"},
	"credentials.key":     {"auth", "login"},
	"confirm.secret":      {"item", "update", "--id", "1", "--title", "x", "--dry-run"},
	"confirm.secret.lock": {"item", "update", "--id", "1", "--title", "x", "--dry-run"},
	"audit.jsonl":         {"item", "update", "--id", "1", "--title", "x", "--dry-run"},
	"audit.jsonl.lock":    {"item", "update", "--id", "1", "--title", "x", "--dry-run"},
	"update.lock":         {"update"},
}

func TestAPipeInPlaceOfAFileIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for name, call := range stateFiles {
		tool := newTool(t).With("UPDATE_API_URL", "http://127.0.0.1:1")
		if err := os.MkdirAll(tool.State(""), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(tool.State(name), 0o600); err != nil {
			t.Fatal(err)
		}
		// A call that waits for the other end of the pipe never ends, and Run fails the test.
		tool.Run(call...).Document()
	}
	tool := newTool(t)
	pipe := filepath.Join(tool.Home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	tool.Run("auth", "login", "--token-file", pipe).Fails("E_VALIDATION")
}

func TestNoFileOfTheStateMakesACallEndWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	damages := map[string]func(path string) error{
		"a directory":    func(path string) error { return os.MkdirAll(path, 0o700) },
		"a loop":         func(path string) error { return os.Symlink(path, path) },
		"a device":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"an empty file":  func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"cut short":      func(path string) error { return os.WriteFile(path, []byte(`{"base_url":"htt`), 0o600) },
		"a closed file":  func(path string) error { return os.WriteFile(path, []byte(`{}`), 0o000) },
		"a member twice": func(path string) error { return os.WriteFile(path, []byte(`{"a":1,"A":2}`), 0o600) },
		"a large file": func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<32)
		},
	}
	for name, call := range stateFiles {
		for kind, damage := range damages {
			tool := newTool(t).With("UPDATE_API_URL", "http://127.0.0.1:1")
			if err := os.MkdirAll(tool.State(""), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := damage(tool.State(name)); err != nil {
				t.Fatal(err)
			}
			ended := tool.Run(call...)
			if failed, _ := ended.Document()["error"].(map[string]any); failed["code"] == "E_UNKNOWN" || strings.Contains(ended.Stderr, "panic") {
				t.Errorf("%s is %s:\n%s%s", name, kind, ended.Stdout, ended.Stderr)
			}
		}
	}
}

func TestALockThatIsNoFileIsNotTakenForAnotherProcess(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	if err := os.MkdirAll(tool.State("confirm.secret.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	tool.Run("item", "delete", "--id", "1", "--dangerous", "--dry-run").Fails("E_IO")
}

func TestALogThatIsOpenToOthersIsClosed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	write(t, tool.State("audit.jsonl"), "", 0o644)
	tool.Run("item", "close", "--ids", "1", "--dry-run").OK()
	if information, err := os.Stat(tool.State("audit.jsonl")); err != nil || information.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", information.Mode(), err)
	}
}

func TestAnAnswerThatCannotBeWrittenIsToldToAPerson(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no device that is always full")
	}
	defer func() { _ = full.Close() }()
	tool := newTool(t)
	command := tool.Command(context.Background(), "context")
	var said strings.Builder
	command.Stdout, command.Stderr = full, &said
	_ = command.Run()
	if command.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "E_IO") {
		t.Errorf("exit %d, %q", command.ProcessState.ExitCode(), said.String())
	}
}

func TestAReaderThatHasSeenEnoughIsNoFailure(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	command := newTool(t).Command(context.Background(), "context")
	command.Stdout = writer
	_ = command.Run()
	_ = writer.Close()
	if exit := command.ProcessState.ExitCode(); exit != 0 {
		t.Errorf("exit %d", exit)
	}
}

func TestAHomeThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	file := filepath.Join(tool.Home, "file")
	write(t, file, "", 0o600)
	tool.With("HOME", filepath.Join(file, "state")).Run("item", "delete", "--id", "1", "--dangerous", "--dry-run").Fails("E_IO")
	tool.With("HOME", "state").Run("context").Fails("E_CONFIG")
	delete(tool.Env, self.Env("HOME"))
	delete(tool.Env, "HOME")
	tool.Run("context").Fails("E_CONFIG")
}
