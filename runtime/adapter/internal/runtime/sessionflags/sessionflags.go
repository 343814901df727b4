// Package sessionflags passes hooks on the command line of a session, for agents that read none from a workspace.
package sessionflags

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/tomltext"
)

// Hooks are the hooks of a session.
type Hooks struct {
	// Agent is the ID of the adapter.
	Agent string
	// Flag sets one value of the configuration, such as -c.
	Flag string
	// Timeout is how long the agent waits for a hook, written in whole Units; zero writes none.
	Timeout, Unit time.Duration
	// Events are the hooks to pass.
	Events []hookevent.Event
}

// Args returns the flag and a value in TOML for each event.
func (h Hooks) Args() ([]string, error) {
	if err := hookevent.Check(h.Events, h.Timeout, h.Unit); err != nil {
		return nil, err
	}
	var args []string
	for _, event := range h.Events {
		hook := `type="command",command=` + tomltext.Quote(hookevent.Command(h.Agent, event.Name))
		if h.Timeout != 0 {
			hook += ",timeout=" + strconv.FormatInt(int64(h.Timeout/h.Unit), 10)
		}
		group := "hooks=[{" + hook + "}]"
		if event.Matcher != "" {
			group = "matcher=" + tomltext.Quote(event.Matcher) + "," + group
		}
		args = append(args, h.Flag, "hooks."+event.Native+"=[{"+group+"}]")
	}
	return args, nil
}

// Trusted returns the flag and a value that marks the workspace as trusted, by its path and by the path behind links.
func Trusted(flag, workspacePath string) []string {
	if strings.TrimSpace(workspacePath) == "" {
		return nil
	}
	paths := []string{workspacePath}
	if resolved, err := filepath.EvalSymlinks(workspacePath); err == nil && resolved != workspacePath {
		paths = append(paths, resolved)
	}
	var entries []string
	for _, path := range paths {
		entries = append(entries, tomltext.Quote(path)+`={trust_level="trusted"}`)
	}
	return []string{flag, "projects={" + strings.Join(entries, ",") + "}"}
}
