package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// Family is where the agent finds its hooks.
type Family string

// The families of hooks.
const (
	JSON         Family = "json"
	TOML         Family = "toml"
	Scripts      Family = "scripts"
	Bus          Family = "bus"
	Emitter      Family = "emitter"
	SessionFlags Family = "session-flags"
)

// Event is an event of the agent and the report that must arrive.
type Event struct {
	Native, Name, Matcher string
}

// Delivery says how the hooks of an adapter are run.
type Delivery struct {
	Family Family
	// Path is the file or directory of the hooks, in the workspace.
	Path string
	// InData says that the path is in the data directory.
	InData bool
	// Binary is the name of the agent's program.
	Binary string
	// Reply is the one line that every script prints.
	Reply string
	// Events are all events, in their order.
	Events []Event
}

// EventsArrive installs the hooks, runs each as the agent does, and checks that the daemon got exactly that event. A
// hook that prints something or fails would disturb the agent, even when `ao` does both.
func EventsArrive(t *testing.T, create func() Adapter, delivery Delivery) {
	t.Helper()
	daemon := newDaemon(t)
	Install(t, delivery.Binary)
	adapter, workspacePath := create(), workspaceDirectory(t)
	config := hookConfig(t, workspacePath, "")
	if err := adapter.GetAgentHooks(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(workspacePath, filepath.FromSlash(delivery.Path))
	if delivery.InData {
		file = filepath.Join(config.DataDir, filepath.FromSlash(delivery.Path))
	}
	hooks := delivery.hooks(t, adapter, daemon, file, workspacePath)
	if len(hooks) != len(delivery.Events) {
		t.Errorf("there are %d hooks for %d events: %v", len(hooks), len(delivery.Events), hooks)
	}
	for _, event := range delivery.Events {
		run, found := hooks[event.Native+"\x00"+event.Matcher]
		if !found {
			t.Errorf("the agent has no hook for %s with the matcher %q", event.Native, event.Matcher)
			continue
		}
		delivery.one(t, daemon, event, run, workspacePath)
	}
}

func (d Delivery) one(t *testing.T, daemon *daemon, event Event, run []string, workspacePath string) {
	t.Helper()
	silences := d.Family == Scripts || d.Family == Bus || d.Family == Emitter
	environments := [][]string{daemon.environment}
	if silences {
		environments = append(environments, append(slices.Clone(daemon.environment), noisyVariable+"=1", failingVariable+"=1"))
	}
	for _, environment := range environments {
		output, err := execute(t, run, environment, workspacePath, event.Native)
		if want := d.reply(); err != nil || output != want {
			t.Errorf("%s: the hook printed %q and ended with %v; want %q and success", event.Native, output, err, want)
		}
		arrivals := daemon.taken()
		if len(arrivals) != 1 || arrivals[0].Event != event.Name || arrivals[0].AgentSessionID != "n-1" ||
			arrivals[0].path != "/api/v1/sessions/s-1/activity" {
			t.Errorf("%s: the daemon got %+v; want the event %s of the session n-1", event.Native, arrivals, event.Name)
		}
	}
	without := slices.DeleteFunc(slices.Clone(daemon.environment), func(variable string) bool {
		return strings.HasPrefix(variable, "AO_SESSION_ID=")
	})
	if output, err := execute(t, run, without, workspacePath, event.Native); err != nil || output != d.reply() {
		t.Errorf("%s without a session: the hook printed %q and ended with %v", event.Native, output, err)
	}
	if arrivals := daemon.taken(); len(arrivals) > 0 {
		t.Errorf("%s without a session: the daemon got %+v", event.Native, arrivals)
	}
	if silences {
		away := slices.Clone(daemon.environment)
		away[0] = "PATH=" + strings.Join(filepath.SplitList(strings.TrimPrefix(away[0], "PATH="))[1:], string(filepath.ListSeparator))
		if output, err := execute(t, run, away, workspacePath, event.Native); err != nil || output != d.reply() {
			t.Errorf("%s without ao: the hook printed %q and ended with %v", event.Native, output, err)
		}
	}
}

func (d Delivery) reply() string {
	if d.Reply == "" {
		return ""
	}
	return d.Reply + "\n"
}

// execute runs a hook as the agent does, with the event as its input.
func execute(t *testing.T, run, environment []string, directory, native string) (string, error) {
	t.Helper()
	payload, err := json.Marshal(map[string]string{"session_id": "n-1", "hook_event_name": native, "cwd": directory})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	program := run[0]
	if program == "ao" {
		path, _, _ := strings.Cut(strings.TrimPrefix(environment[0], "PATH="), string(filepath.ListSeparator))
		program = filepath.Join(path, "ao")
	}
	command := exec.CommandContext(ctx, program, run[1:]...)
	command.Env, command.Dir, command.Stdin = environment, directory, bytes.NewReader(payload)
	output, err := command.CombinedOutput()
	return string(output), err
}

// hooks returns how each hook is run, by native event and matcher.
func (d Delivery) hooks(t *testing.T, adapter Adapter, daemon *daemon, file, workspacePath string) map[string][]string {
	t.Helper()
	switch d.Family {
	case JSON:
		return jsonCommands(t, read(t, file))
	case TOML:
		return tomlCommands(t, read(t, file))
	case SessionFlags:
		words, err := adapter.GetLaunchCommand(context.Background(), ports.LaunchConfig{WorkspacePath: workspacePath})
		if err != nil {
			t.Fatal(err)
		}
		return flagCommands(words)
	case Scripts:
		if runtime.GOOS == "windows" {
			t.Skip("the scripts are for a POSIX shell")
		}
		hooks := map[string][]string{}
		for _, event := range d.Events {
			hooks[event.Native+"\x00"] = []string{filepath.Join(file, event.Native)}
		}
		return hooks
	}
	return d.plugin(t, daemon, file)
}

// jsonCommands finds the commands below `hooks`, wherever they are in an event.
func jsonCommands(t *testing.T, text string) map[string][]string {
	t.Helper()
	var document struct {
		Hooks map[string][]struct {
			Matcher       string
			Command, Bash string
			Hooks         []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{}
	for native, entries := range document.Hooks {
		for _, entry := range entries {
			command := entry.Command + entry.Bash
			for _, hook := range entry.Hooks {
				if hook.Type != "command" {
					t.Errorf("%s has a hook of the type %q", native, hook.Type)
				}
				command = hook.Command
			}
			commands[native+"\x00"+entry.Matcher] = strings.Fields(command)
		}
	}
	return commands
}

var tomlLine = regexp.MustCompile(`^(event|matcher|command) = "(.*)"$`)

func tomlCommands(t *testing.T, text string) map[string][]string {
	t.Helper()
	commands := map[string][]string{}
	var native, matcher string
	for line := range strings.Lines(text) {
		parts := tomlLine.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case strings.TrimSpace(line) == "[[hooks]]":
			native, matcher = "", ""
		case parts == nil:
		case parts[1] == "event":
			native = parts[2]
		case parts[1] == "matcher":
			matcher = parts[2]
		default:
			commands[native+"\x00"+matcher] = strings.Fields(parts[2])
		}
	}
	return commands
}

var flagValue = regexp.MustCompile(`^hooks\.([A-Za-z]+)=\[\{(?:matcher="(.*)",)?hooks=\[\{type="command",command="([^"]*)"(?:,timeout=\d+)?\}\]\}\]$`)

func flagCommands(words []string) map[string][]string {
	commands := map[string][]string{}
	for _, word := range words {
		if parts := flagValue.FindStringSubmatch(word); parts != nil {
			commands[parts[1]+"\x00"+parts[2]] = strings.Fields(parts[3])
		}
	}
	return commands
}
