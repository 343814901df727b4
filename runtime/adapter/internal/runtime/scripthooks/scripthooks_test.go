package scripthooks

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
)

func TestAReplyWithQuotesIsPrintedAsItIs(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the scripts are for a POSIX shell")
	}
	reply := "{\"it's\": \"100 % \\n $HOME `x`\"}"
	directory := Directory{
		Agent: "acme", Path: "hooks", Reply: reply,
		Events: []hookevent.Event{{Native: "Stop", Name: "stop"}},
	}
	workspacePath := t.TempDir()
	if err := directory.Install(context.Background(), workspacePath); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(shell, filepath.Join(workspacePath, "hooks", "Stop"))
	command.Env = []string{"PATH=" + t.TempDir()}
	if output, err := command.CombinedOutput(); err != nil || string(output) != reply+"\n" {
		t.Errorf("%q, %v; want %q", output, err, reply)
	}
}

func TestNothingIsWrittenWhenOneNameIsTaken(t *testing.T) {
	directory := Directory{
		Agent: "acme", Path: "hooks",
		Events: []hookevent.Event{{Native: "Start", Name: "session-start"}, {Native: "Stop", Name: "stop"}},
	}
	workspacePath := t.TempDir()
	taken := filepath.Join(workspacePath, "hooks", "Stop")
	if err := os.MkdirAll(filepath.Dir(taken), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(taken, []byte("own"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := directory.Install(context.Background(), workspacePath); err == nil {
		t.Error("the script of the user was replaced")
	}
	if entries, err := os.ReadDir(filepath.Dir(taken)); err != nil || len(entries) != 1 {
		t.Errorf("there is %v, %v", entries, err)
	}
}
