// Package hookevent has the events of hooks: their names in the orchestrator, and the command that reports one.
package hookevent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Event is an event of the agent and the name that the orchestrator has for it.
type Event struct {
	// Native is the event of the agent, such as SessionStart.
	Native string
	// Name is the event of the orchestrator, such as session-start.
	Name string
	// Matcher narrows the native event where the agent asks for it; empty is no matcher.
	Matcher string
}

// Names are the events that the orchestrator knows. It ignores every other one without a word.
var Names = []string{
	"session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "post-tool-use-failure",
	"permission-request", "notification", "subagent-stop", "stop", "session-end",
}

// Command returns the command that reports an event. It has exactly two arguments: a third one is an error of the
// orchestrator, and the session comes from the environment.
func Command(agent, event string) string {
	return "ao hooks " + agent + " " + event
}

var eventForm = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// IsCommand reports whether a command is one that Command makes for this agent. A longer command that begins so is the
// user's own.
func IsCommand(agent, command string) bool {
	event, found := strings.CutPrefix(command, "ao hooks "+agent+" ")
	return found && eventForm.MatchString(event)
}

// Check refuses events that would never arrive, and a timeout that the unit of the agent cannot express.
func Check(events []Event, timeout, unit time.Duration) error {
	for _, event := range events {
		if event.Native == "" || strings.ContainsAny(event.Native, "/\\\x00") {
			return fmt.Errorf("the native event %q must be a name", event.Native)
		}
		if !slices.Contains(Names, event.Name) {
			return fmt.Errorf("the orchestrator has no event %q; it has %s", event.Name, strings.Join(Names, ", "))
		}
	}
	if timeout < 0 || unit < 0 || unit == 0 && timeout != 0 || unit > 0 && timeout%unit != 0 {
		return fmt.Errorf("the timeout %v is not a whole number of %v", timeout, unit)
	}
	return nil
}
