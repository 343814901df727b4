package jsonhooks

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/jsonedit"
)

// entry is a hook of this agent.
type entry struct {
	native, command, matcher, timeout string
}

func (e entry) signature() string {
	return strings.Join([]string{e.native, e.command, e.matcher, e.timeout}, "\x00")
}

func (f File) timeout() string {
	if f.Timeout == 0 {
		return ""
	}
	return strconv.FormatInt(int64(f.Timeout/f.Unit), 10)
}

func quoted(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text is the entry as an element of the array of its event.
func (f File) text(e entry) string {
	command := quoted(e.command)
	switch f.Shape {
	case Flat:
		return `{"command": ` + command + `}`
	case Shells:
		text := `{"type": "command", "bash": ` + command + `, "powershell": ` + command
		if e.timeout != "" {
			text += `, "timeoutSec": ` + e.timeout
		}
		return text + `}`
	}
	text := `{"type": "command", "command": ` + command
	if e.timeout != "" {
		text += `, "timeout": ` + e.timeout
	}
	group := `"hooks": [` + text + `}]}`
	if e.matcher != "" {
		return `{"matcher": ` + quoted(e.matcher) + `, ` + group
	}
	return `{` + group
}

// entries are the elements of one event.
func (f File) entries(native string) []string {
	var texts []string
	for _, event := range f.Events {
		if event.Native == native {
			texts = append(texts, f.text(f.entryOf(event)))
		}
	}
	return texts
}

// eventMember is an event that the file does not have.
func (f File) eventMember(native string, layout jsonedit.Layout) string {
	inner := layout.Newline + strings.Repeat(layout.Indent, 3)
	outer := layout.Newline + strings.Repeat(layout.Indent, 2)
	return quoted(native) + ": [" + inner + strings.Join(f.entries(native), ","+inner) + outer + "]"
}

func (f File) eventMembers(layout jsonedit.Layout) []string {
	var members []string
	for _, native := range f.natives() {
		members = append(members, f.eventMember(native, layout))
	}
	return members
}

// hooksMember is the member `hooks` of a file that has none.
func (f File) hooksMember(layout jsonedit.Layout) string {
	inner := layout.Newline + strings.Repeat(layout.Indent, 2)
	return `"hooks": {` + inner + strings.Join(f.eventMembers(layout), ","+inner) + layout.Newline + layout.Indent + "}"
}

// allMembers are the members of a document that has none.
func (f File) allMembers(layout jsonedit.Layout) string {
	if f.Shape == MatcherGroups {
		return f.hooksMember(layout)
	}
	return versionMember + ", " + f.hooksMember(layout)
}

// commandOf returns the command of an object when it is one of this agent. Both shells of an entry must have it.
func (f File) commandOf(document *jsonedit.Document, object *jsonedit.Value) (string, bool) {
	names := []string{"command"}
	if f.Shape == Shells {
		names = []string{"bash", "powershell"}
	}
	var command string
	for index, name := range names {
		value, err := object.Find(name)
		if err != nil {
			return "", false
		}
		text, isString := document.StringOf(value)
		if !isString || !hookevent.IsCommand(f.Agent, text) || index > 0 && text != command {
			return "", false
		}
		command = text
	}
	return command, true
}

// member returns the bytes of a member, and the text of a string.
func member(document *jsonedit.Document, object *jsonedit.Value, name string) string {
	value, err := object.Find(name)
	if err != nil || value == nil {
		return ""
	}
	if text, isString := document.StringOf(value); isString {
		return text
	}
	return document.Raw(value)
}
