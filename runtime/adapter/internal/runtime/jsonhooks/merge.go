package jsonhooks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/jsonedit"
)

// The white space that Install leaves before the first item of a container records the previous content, so that
// Uninstall can restore it: nothing for a container that was empty, one space for a blank document, two for null, a
// new line for a container that Install created.
const (
	leadOfBlank = " "
	leadOfNull  = "  "
)

// The spelling of a version that Install added. A user who spells it so loses it with the hooks.
const versionMember = `"version" : 1`

// installed returns the text with the hooks of the agent.
func (f File) installed(text []byte, found bool) ([]byte, error) {
	clean, ours := text, !found
	if found {
		present, err := f.present(text)
		if err != nil {
			return nil, err
		}
		if f.asWanted(present) && f.hasVersion(text) {
			return text, nil
		}
		if clean, ours, err = f.uninstalled(text); err != nil {
			return nil, err
		}
	}
	if ours {
		clean = []byte("{\n  ?\n}\n")
		return f.fill(clean)
	}
	return f.add(clean)
}

// fill makes the text of a file that was not there. The question mark is where its members go.
func (f File) fill(frame []byte) ([]byte, error) {
	layout := jsonedit.Layout{Newline: "\n", Indent: "  "}
	var members []string
	if f.Shape != MatcherGroups {
		members = append(members, versionMember)
	}
	members = append(members, f.hooksMember(layout))
	return []byte(strings.Replace(string(frame), "?", strings.Join(members, ",\n  "), 1)), nil
}

// add puts the hooks into a text that has none of this agent.
func (f File) add(text []byte) ([]byte, error) {
	document, hooks, err := f.open(text)
	if err != nil {
		return nil, err
	}
	layout := document.Layout()
	switch {
	case document.Root == nil:
		return document.Prepend("{" + leadOfBlank + f.allMembers(layout) + "}"), nil
	case document.Root.Kind == jsonedit.Null:
		return document.Replace(document.Root, "{"+leadOfNull+f.allMembers(layout)+"}"), nil
	}
	if version, err := document.Root.Find("version"); err != nil {
		return nil, err
	} else if version == nil && f.Shape != MatcherGroups {
		if text, err = f.again(document.Insert(document.Root, versionMember), &document, &hooks); err != nil {
			return nil, err
		}
	}
	switch {
	case hooks == nil:
		return document.Insert(document.Root, f.hooksMember(layout)), nil
	case hooks.Kind == jsonedit.Null:
		return document.Replace(hooks, "{"+leadOfNull+strings.Join(f.eventMembers(layout), ", ")+"}"), nil
	}
	for _, native := range f.natives() {
		event, err := hooks.Find(native)
		if err != nil {
			return nil, err
		}
		switch {
		case event == nil:
			text = document.Insert(hooks, f.eventMember(native, layout))
		case event.Kind == jsonedit.Null:
			text = document.Replace(event, "["+leadOfNull+strings.Join(f.entries(native), ", ")+"]")
		default:
			if text, err = f.appendAll(document, event, native); err != nil {
				return nil, err
			}
		}
		if text, err = f.again(text, &document, &hooks); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// appendAll adds the entries of one event to an array.
func (f File) appendAll(document *jsonedit.Document, event *jsonedit.Value, native string) ([]byte, error) {
	entries := f.entries(native)
	text := document.Insert(event, entries[0])
	for _, entry := range entries[1:] {
		next, hooks, err := f.open(text)
		if err != nil {
			return nil, err
		}
		array, err := hooks.Find(native)
		if err != nil {
			return nil, err
		}
		text = next.Insert(array, entry)
	}
	return text, nil
}

// again reads a text that was changed.
func (f File) again(text []byte, document **jsonedit.Document, hooks **jsonedit.Value) ([]byte, error) {
	var err error
	*document, *hooks, err = f.open(text)
	return text, err
}

// open reads a text and finds the hooks in it. It refuses what cannot be merged: hooks or an event of another kind,
// names that occur twice.
func (f File) open(text []byte) (*jsonedit.Document, *jsonedit.Value, error) {
	document, err := jsonedit.Parse(text)
	if err != nil || document.Root == nil || document.Root.Kind == jsonedit.Null {
		return document, nil, err
	}
	if document.Root.Kind != jsonedit.Object {
		return nil, nil, fmt.Errorf("the document is %s and must be an object", document.Root.Kind)
	}
	hooks, err := document.Root.Find("hooks")
	if err != nil || hooks == nil || hooks.Kind == jsonedit.Null {
		return document, hooks, err
	}
	if hooks.Kind != jsonedit.Object {
		return nil, nil, fmt.Errorf("`hooks` is %s and must be an object", hooks.Kind)
	}
	for _, native := range f.natives() {
		event, err := hooks.Find(native)
		if err != nil {
			return nil, nil, fmt.Errorf("in `hooks`: %w", err)
		}
		if event != nil && event.Kind != jsonedit.Array && event.Kind != jsonedit.Null {
			return nil, nil, fmt.Errorf("`hooks.%s` is %s and must be an array", native, event.Kind)
		}
	}
	return document, hooks, nil
}

// natives returns the native events, each once, in order.
func (f File) natives() []string {
	var natives []string
	for _, event := range f.Events {
		if !slices.Contains(natives, event.Native) {
			natives = append(natives, event.Native)
		}
	}
	return natives
}

// asWanted reports whether the entries that are there are those that Install writes.
func (f File) asWanted(present []entry) bool {
	var wanted, found []string
	for _, event := range f.Events {
		wanted = append(wanted, f.entryOf(event).signature())
	}
	for _, entry := range present {
		found = append(found, entry.signature())
	}
	slices.Sort(wanted)
	slices.Sort(found)
	return slices.Equal(wanted, found)
}

// hasVersion reports whether the file has the version that the agent asks for.
func (f File) hasVersion(text []byte) bool {
	document, err := jsonedit.Parse(text)
	if err != nil || document.Root == nil {
		return false
	}
	version, err := document.Root.Find("version")
	return f.Shape == MatcherGroups || err == nil && version != nil
}

// entryOf is the entry that Install writes for an event.
func (f File) entryOf(event hookevent.Event) entry {
	wanted := entry{native: event.Native, command: hookevent.Command(f.Agent, event.Name), timeout: f.timeout()}
	if f.Shape == MatcherGroups {
		wanted.matcher = event.Matcher
	}
	if f.Shape == Flat {
		wanted.timeout = ""
	}
	return wanted
}
