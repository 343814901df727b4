package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

// subject is the adapter under examination; create makes another one.
type subject struct {
	facts  facts
	create func() testkit.Adapter
	// targets counts what was looked at.
	targets int
}

// probes are the questions that `aos conform` asks, by name.
var probes = map[string]func(t *testing.T, s *subject){
	"described": func(t *testing.T, s *subject) {
		testkit.Described(t, s.create(), s.facts.ID, s.facts.Name, s.facts.Configures)
	},
	"program": func(t *testing.T, s *subject) {
		testkit.BinaryIsFound(t, s.create, s.facts.Binary)
	},
	"sign-in": func(t *testing.T, s *subject) {
		testkit.AuthIsReported(t, s.create(), s.facts.Binary, s.facts.Auth...)
	},
	"signals": func(t *testing.T, s *subject) {
		submits := false
		for _, event := range s.facts.Hooks.Events {
			submits = submits || event.Name == "user-prompt-submit"
		}
		testkit.SignalsMatch(t, s.create(), submits)
		if s.facts.Supervised {
			s.targets++
			detector, ok := s.create().(ports.AgentExitDetector)
			if !ok || detector.ExitDetectionMode() != ports.AgentExitDetectionSupervisor {
				t.Error("the adapter does not say that the orchestrator must watch the process for its end")
			}
		}
	},
	"cancelled-calls": func(t *testing.T, s *subject) {
		testkit.CallsEndWithTheirContext(t, s.create(), s.facts.Binary)
	},
	"command-lines": func(t *testing.T, s *subject) { s.commandLines(t) },
	"prompts": func(t *testing.T, s *subject) {
		testkit.PromptsAreNeverFlags(t, s.create, s.facts.Binary, s.facts.Strategy)
	},
	"configuration": func(t *testing.T, s *subject) {
		testkit.InvalidConfigurationIsRefused(t, s.create, s.facts.Binary)
	},
	"restore": func(t *testing.T, s *subject) {
		testkit.OnlyKnownSessionsAreRestored(t, s.create, s.facts.Binary)
		s.restores(t)
	},
	"session-info": func(t *testing.T, s *subject) {
		testkit.SessionInfoIsFromMetadata(t, s.create())
	},
	"install": func(t *testing.T, s *subject) {
		testkit.HooksMatch(t, s.create(), s.facts.written())
		s.timeouts(t)
	},
	"workspace": func(t *testing.T, s *subject) {
		testkit.WorkspaceIsRequired(t, s.create())
	},
	"merge": func(t *testing.T, s *subject) { s.merges(t) },
	"links": func(t *testing.T, s *subject) {
		if !s.facts.Hooks.inWorkspace() {
			t.Skip("the hooks are not files of the workspace")
		}
		testkit.LinksAreRefused(t, s.create(), s.facts.Hooks.Path)
	},
	"delivery": func(t *testing.T, s *subject) {
		if s.facts.Hooks.Family == "none" {
			t.Skip("the agent has no hooks")
		}
		s.targets = len(s.facts.Hooks.Events)
		testkit.EventsArrive(t, s.create, s.facts.delivery())
	},
}

func (s *subject) merges(t *testing.T) {
	t.Helper()
	hooks := s.facts.Hooks
	switch {
	case !hooks.inWorkspace():
		t.Skip("the hooks are not files of the workspace")
	case hooks.Family == "toml":
		s.targets = len(testkit.TOMLDocuments) + len(testkit.TOMLRefusals)
		testkit.UserTextSurvives(t, s.create(), hooks.Path, testkit.TOMLDocuments)
		testkit.RefusedTextSurvives(t, s.create(), hooks.Path, testkit.TOMLRefusals)
	case hooks.merged():
		s.targets = len(testkit.JSONDocuments) + len(testkit.JSONRefusals)
		testkit.UserTextSurvives(t, s.create(), hooks.Path, testkit.JSONDocuments)
		testkit.RefusedTextSurvives(t, s.create(), hooks.Path, testkit.JSONRefusals)
	case hooks.Family == "scripts":
		for _, event := range hooks.Events {
			testkit.UserFilesStay(t, s.create(), hooks.Path+"/"+event.Native)
		}
	default:
		testkit.UserFilesStay(t, s.create(), hooks.Path)
	}
}

// verdict is the answer to a probe.
type verdict struct {
	// Targets counts what was looked at.
	Targets int `json:"targets"`
	// Faults are sentences about what is wrong.
	Faults []string `json:"faults"`
	// Skipped says why the probe does not apply.
	Skipped string `json:"skipped,omitempty"`
}

type probeCall struct {
	Probe string `json:"probe"`
	Facts facts  `json:"facts"`
}

// probeVariable has the argument of the probe that this process runs.
const probeVariable = "AOS_CONFORM_PROBE"

// probed runs one probe in a process of its own, and reads what it said.
func probed(call request) (any, bool, error) {
	var wanted probeCall
	if err := json.Unmarshal(call.Config, &wanted); err != nil {
		return nil, false, fmt.Errorf("the argument of Probe is not understood: %w", err)
	}
	if _, known := probes[wanted.Probe]; !known {
		return nil, false, fmt.Errorf("there is no probe %q: %w", wanted.Probe, errNoSuchCall)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, false, err
	}
	command := exec.Command(self, "-test.v")
	command.Env = append(os.Environ(), probeVariable+"="+string(call.Config))
	said, err := command.Output()
	lines, targets := sentences(string(said))
	got := verdict{Targets: targets, Faults: []string{}}
	switch {
	case err != nil && len(lines) == 0:
		got.Faults = []string{"the process of the probe ended with " + err.Error()}
	case err != nil:
		got.Faults = lines
	case strings.Contains(string(said), "--- SKIP: ") && len(lines) > 0:
		got.Skipped = lines[0]
	}
	return got, true, nil
}

// runProbe runs the probe that the environment names as a test, and ends the process. Without one it returns.
func runProbe(create func() adapters.Adapter) {
	text, wanted := os.LookupEnv(probeVariable)
	if !wanted {
		return
	}
	var call probeCall
	if err := json.Unmarshal([]byte(text), &call); err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(1)
	}
	// Programs that the probe starts run none.
	_ = os.Unsetenv(probeVariable)
	run := func(t *testing.T) {
		if _, whole := create().(testkit.Adapter); !whole {
			t.Fatal("the adapter does not have every method of the contract")
		}
		s := &subject{facts: call.Facts, targets: 1, create: func() testkit.Adapter {
			// An adapter has the same methods each time.
			adapter, _ := create().(testkit.Adapter)
			return adapter
		}}
		defer func() {
			if reason := recover(); reason != nil {
				t.Errorf("the adapter panicked: %v", reason)
			}
			fmt.Printf("%s%d\n", targetsLine, s.targets)
		}()
		probes[call.Probe](t, s)
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "Probe", F: run}}, nil, nil)
}

// targetsLine begins the line with the number of targets.
const targetsLine = "targets: "

var sentence = regexp.MustCompile(`^\s+[A-Za-z0-9_]+\.go:\d+: (.*)$`)

// sentences are the messages of a test, without the places that they come from, and the number of targets.
func sentences(said string) ([]string, int) {
	var found []string
	targets := 0
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		number, isTargets := strings.CutPrefix(line, targetsLine)
		switch parts := sentence.FindStringSubmatch(line); {
		case isTargets:
			targets, _ = strconv.Atoi(number)
		case parts != nil:
			found = append(found, parts[1])
		case len(found) > 0 && strings.HasPrefix(line, "        "):
			found[len(found)-1] += "\n" + strings.TrimSpace(line)
		}
	}
	return found, targets
}
