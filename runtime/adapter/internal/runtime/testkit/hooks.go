package testkit

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// Written says what the hooks of an adapter are in a workspace that has none.
type Written struct {
	// Files are all files, by path. A text that begins with `…` is a part of the file.
	Files map[string]string
	// Executable says that the files are scripts.
	Executable bool
	// SystemPrompt is what the session has.
	SystemPrompt string
	// Data are the files in the data directory. Hooks that are there are not in the workspace.
	Data map[string]string
}

func hookConfig(t *testing.T, workspacePath, systemPrompt string) ports.WorkspaceHookConfig {
	t.Helper()
	return ports.WorkspaceHookConfig{
		DataDir: t.TempDir(), SessionID: "s-1", SystemPrompt: systemPrompt, WorkspacePath: workspacePath,
	}
}

// HooksMatch installs hooks in an empty workspace, looks at every file, installs again, and takes them away.
func HooksMatch(t *testing.T, adapter Adapter, want Written) {
	t.Helper()
	ctx, workspacePath := context.Background(), t.TempDir()
	config := hookConfig(t, workspacePath, want.SystemPrompt)
	if err := adapter.GetAgentHooks(ctx, config); err != nil {
		t.Fatal(err)
	}
	matchFiles(t, config.DataDir, want.Data)
	matchFiles(t, workspacePath, want.Files)
	ignored(t, workspacePath)
	for name := range want.Files {
		file := filepath.Join(workspacePath, filepath.FromSlash(name))
		mode := os.FileMode(0o600)
		if want.Executable {
			mode = 0o700
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("the mode of %s is %v, %v; want %v", name, info.Mode(), err, mode)
		}
		past := time.Now().Add(-time.Hour).Truncate(time.Second)
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
	if err := adapter.GetAgentHooks(ctx, config); err != nil {
		t.Fatal(err)
	}
	matchFiles(t, workspacePath, want.Files)
	for name := range want.Files {
		if info, err := os.Stat(filepath.Join(workspacePath, filepath.FromSlash(name))); err != nil || time.Since(info.ModTime()) < time.Minute {
			t.Errorf("%s was written a second time", name)
		}
	}
	expectInstalled(t, adapter, workspacePath, len(want.Files) > 0 && len(want.Data) == 0)
	for range 2 {
		if err := adapter.UninstallHooks(ctx, workspacePath); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(workspacePath); err != nil || len(entries) > 0 {
			t.Errorf("after the removal of the hooks there is %v, %v", entries, err)
		}
		expectInstalled(t, adapter, workspacePath, false)
	}
}

func expectInstalled(t *testing.T, adapter Adapter, workspacePath string, want bool) {
	t.Helper()
	if got, err := adapter.AreHooksInstalled(context.Background(), workspacePath); err != nil || got != want {
		t.Errorf("AreHooksInstalled = %v, %v; want %v", got, err, want)
	}
}

func matchFiles(t *testing.T, root string, want map[string]string) {
	t.Helper()
	var names []string
	for _, name := range filesIn(t, root) {
		if path.Base(name) != ".gitignore" {
			names = append(names, name)
		}
	}
	for name, text := range want {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing; there is %v", name, names)
			continue
		}
		got := read(t, filepath.Join(root, filepath.FromSlash(name)))
		if part, isPart := strings.CutPrefix(text, "…"); isPart && strings.Contains(got, part) || got == text {
			continue
		}
		t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
	}
	if len(names) != len(want) {
		t.Errorf("there is %v; want %d files", names, len(want))
	}
}

// ignored checks that git sees none of the files: a worktree with an untracked file cannot be removed.
func ignored(t *testing.T, workspacePath string) {
	t.Helper()
	for _, name := range filesIn(t, workspacePath) {
		beside := filepath.Join(workspacePath, filepath.FromSlash(path.Dir(name)), ".gitignore")
		text, err := os.ReadFile(beside)
		if err != nil {
			t.Errorf("%s has no .gitignore beside it: %v", name, err)
			continue
		}
		lines := strings.Split(string(text), "\n")
		if lines[0] != hookutil.GitignoreSentinel || !slices.Contains(lines, "/"+path.Base(name)) {
			t.Errorf("the .gitignore beside %s does not cover it: %q", name, text)
		}
	}
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{{"init", "-q"}, {"status", "--porcelain", "--untracked-files=all"}} {
			command := exec.Command(git, args...)
			command.Dir = workspacePath
			command.Env = []string{"HOME=" + workspacePath, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
			if output, err := command.CombinedOutput(); err != nil || len(output) > 0 {
				t.Errorf("git %v: %v\n%s", args, err, output)
			}
		}
		if err := os.RemoveAll(filepath.Join(workspacePath, ".git")); err != nil {
			t.Fatal(err)
		}
	}
}

// WorkspaceIsRequired checks that hooks are never looked for in the working directory of the daemon.
func WorkspaceIsRequired(t *testing.T, adapter Adapter) {
	t.Helper()
	ctx := context.Background()
	t.Chdir(t.TempDir())
	for _, workspacePath := range []string{"", "  "} {
		if adapter.GetAgentHooks(ctx, ports.WorkspaceHookConfig{WorkspacePath: workspacePath, DataDir: t.TempDir()}) == nil {
			t.Errorf("hooks were installed in the workspace %q", workspacePath)
		}
		if adapter.UninstallHooks(ctx, workspacePath) == nil {
			t.Errorf("hooks were removed from the workspace %q", workspacePath)
		}
		if _, err := adapter.AreHooksInstalled(ctx, workspacePath); err == nil {
			t.Errorf("hooks were looked for in the workspace %q", workspacePath)
		}
	}
	if files := filesIn(t, "."); len(files) > 0 {
		t.Errorf("the working directory has %v", files)
	}
}

// UserTextSurvives installs and removes hooks around the user's own text, and checks that it is there all the time and
// afterwards byte for byte. Documents that the adapter refuses must be left alone.
func UserTextSurvives(t *testing.T, adapter Adapter, name string, documents []string) {
	t.Helper()
	for _, document := range documents {
		userText(t, adapter, name, document, true)
	}
}

// RefusedTextSurvives checks that a file that cannot be merged is an error and stays as it is.
func RefusedTextSurvives(t *testing.T, adapter Adapter, name string, documents []string) {
	t.Helper()
	for _, document := range documents {
		workspacePath := t.TempDir()
		file := filepath.Join(workspacePath, filepath.FromSlash(name))
		write(t, file, document)
		err := adapter.GetAgentHooks(context.Background(), hookConfig(t, workspacePath, ""))
		if err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%q: the error must name the file: %v", document, err)
		}
		if got := read(t, file); got != document {
			t.Errorf("%q became %q", document, got)
		}
	}
}

// MergeHolds is the property of one document, for a fuzz test: it is refused and left alone, or merged and given back.
func MergeHolds(t *testing.T, adapter Adapter, name, document string) {
	t.Helper()
	if !strings.Contains(document, "ao hooks ") && !strings.Contains(document, "managed by agent-orchestrator") &&
		!strings.Contains(document, `\u`) && !strings.Contains(document, `"version" : 1`) {
		userText(t, adapter, name, document, false)
	}
}

func userText(t *testing.T, adapter Adapter, name, document string, mustMerge bool) {
	t.Helper()
	ctx, workspacePath := context.Background(), t.TempDir()
	file := filepath.Join(workspacePath, filepath.FromSlash(name))
	write(t, file, document)
	err := adapter.GetAgentHooks(ctx, hookConfig(t, workspacePath, ""))
	merged := read(t, file)
	switch {
	case err != nil && merged != document:
		t.Errorf("%q was refused (%v) and became %q", document, err, merged)
	case err != nil && mustMerge:
		t.Errorf("%q was refused: %v", document, err)
	case err == nil:
		if !strings.Contains(merged, "ao hooks ") {
			t.Errorf("%q became %q, without a hook", document, merged)
		}
		if err := adapter.GetAgentHooks(ctx, hookConfig(t, workspacePath, "")); err != nil || read(t, file) != merged {
			t.Errorf("a second install made %q of %q: %v", read(t, file), merged, err)
		}
		expectInstalled(t, adapter, workspacePath, true)
		if err := adapter.UninstallHooks(ctx, workspacePath); err != nil {
			t.Errorf("%q: %v", document, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != document {
			t.Errorf("%q became %q and then %q: %v", document, merged, got, err)
		}
		if files := filesIn(t, workspacePath); len(files) != 1 {
			t.Errorf("after the hooks were removed, %q is among %v", document, files)
		}
	}
}

// UserFilesStay puts a file of the user where the adapter wants its own. It must be refused, and nothing written.
func UserFilesStay(t *testing.T, adapter Adapter, names ...string) {
	t.Helper()
	for _, name := range names {
		workspacePath := t.TempDir()
		file := filepath.Join(workspacePath, filepath.FromSlash(name))
		write(t, file, "of the user\n")
		if err := adapter.GetAgentHooks(context.Background(), hookConfig(t, workspacePath, "")); err == nil {
			t.Errorf("%s of the user was taken over", name)
		}
		if err := adapter.UninstallHooks(context.Background(), workspacePath); err != nil {
			t.Error(err)
		}
		if files := filesIn(t, workspacePath); len(files) != 1 || read(t, file) != "of the user\n" {
			t.Errorf("%s of the user is now among %v", name, files)
		}
	}
}

// LinksAreRefused checks that hooks are never written through a symbolic link to somewhere else.
func LinksAreRefused(t *testing.T, adapter Adapter, name string) {
	t.Helper()
	workspacePath, elsewhere := t.TempDir(), t.TempDir()
	top, _, _ := strings.Cut(name, "/")
	if err := os.Symlink(elsewhere, filepath.Join(workspacePath, top)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := adapter.GetAgentHooks(context.Background(), hookConfig(t, workspacePath, "")); err == nil {
		t.Error("hooks were installed through a symbolic link")
	}
	if files := filesIn(t, elsewhere); len(files) > 0 {
		t.Errorf("behind the link there is %v", files)
	}
}
