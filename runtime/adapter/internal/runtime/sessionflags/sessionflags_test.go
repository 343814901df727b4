package sessionflags

import (
	"reflect"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
)

func TestEachEventIsOneValue(t *testing.T) {
	hooks := Hooks{Agent: "acme", Flag: "-c", Timeout: 5 * time.Second, Unit: time.Second, Events: []hookevent.Event{
		{Native: "SessionStart", Name: "session-start", Matcher: "a\"b"}, {Native: "Stop", Name: "stop"},
	}}
	got, err := hooks.Args()
	want := []string{
		"-c", `hooks.SessionStart=[{matcher="a\"b",hooks=[{type="command",command="ao hooks acme session-start",timeout=5}]}]`,
		"-c", `hooks.Stop=[{hooks=[{type="command",command="ao hooks acme stop",timeout=5}]}]`,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	hooks.Events[0].Name = "SessionStart"
	if _, err := hooks.Args(); err == nil {
		t.Error("an event that the orchestrator does not have was passed")
	}
}

func TestAWorkspaceIsTrustedByItsPath(t *testing.T) {
	if got := Trusted("-c", " "); got != nil {
		t.Errorf("%q", got)
	}
	got := Trusted("-c", "/no/such \"place\"\\\n")
	want := []string{"-c", "projects={\"/no/such \\\"place\\\"\\\\\\n\"={trust_level=\"trusted\"}}"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
