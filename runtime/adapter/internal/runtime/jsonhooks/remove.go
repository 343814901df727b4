package jsonhooks

import (
	"fmt"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/jsonedit"
)

// maxEntries bounds the work of a file that is nothing but hooks of this agent.
const maxEntries = 1000

// position is where an entry of this agent is: the index of its event, of its element and, in a group, of its hook.
type position struct {
	event, element, hook int
	entry                entry
}

// positions finds the entries of this agent, in every event.
func (f File) positions(document *jsonedit.Document, hooks *jsonedit.Value) []position {
	var found []position
	if hooks == nil || hooks.Kind != jsonedit.Object {
		return nil
	}
	for e, event := range hooks.Items {
		for i, element := range event.Value.Items {
			if event.Value.Kind != jsonedit.Array || element.Value.Kind != jsonedit.Object {
				continue
			}
			if f.Shape != MatcherGroups {
				if command, ours := f.commandOf(document, element.Value); ours {
					timeout := member(document, element.Value, "timeoutSec")
					found = append(found, position{e, i, -1, entry{event.Name, command, "", timeout}})
				}
				continue
			}
			group, err := element.Value.Find("hooks")
			if err != nil || group == nil || group.Kind != jsonedit.Array {
				continue
			}
			matcher := member(document, element.Value, "matcher")
			for h, hook := range group.Items {
				if command, ours := f.commandOf(document, hook.Value); ours {
					timeout := member(document, hook.Value, "timeout")
					found = append(found, position{e, i, h, entry{event.Name, command, matcher, timeout}})
				}
			}
		}
	}
	return found
}

// present returns the entries of this agent.
func (f File) present(text []byte) ([]entry, error) {
	document, hooks, err := f.open(text)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, position := range f.positions(document, hooks) {
		entries = append(entries, position.entry)
	}
	return entries, nil
}

// uninstalled returns the text without the entries of this agent. The second result says that nothing is left of a
// file that Install created.
func (f File) uninstalled(text []byte) ([]byte, bool, error) {
	removed := false
	for {
		document, hooks, err := f.open(text)
		if err != nil {
			return nil, false, err
		}
		found := f.positions(document, hooks)
		if len(found) > maxEntries {
			return nil, false, fmt.Errorf("it has more than %d hooks of %s", maxEntries, f.Agent)
		}
		if len(found) == 0 {
			if !removed || f.Shape == MatcherGroups {
				return text, false, nil
			}
			return f.withoutVersion(document)
		}
		removed = true
		var gone bool
		if text, gone = f.without(document, hooks, found[len(found)-1]); gone {
			return nil, true, nil
		}
	}
}

// without removes one entry, and the containers that Install created for it.
func (f File) without(document *jsonedit.Document, hooks *jsonedit.Value, at position) ([]byte, bool) {
	event := hooks.Items[at.event].Value
	if at.hook >= 0 {
		group, err := event.Items[at.element].Value.Find("hooks")
		if err == nil && group != nil && len(group.Items) > 1 {
			return document.Remove(group, at.hook), false
		}
	}
	root := document.Root
	if text, done := takeOut(document, event, at.element); done {
		return text, false
	}
	if text, done := takeOut(document, hooks, at.event); done {
		return text, false
	}
	for index, item := range root.Items {
		if item.Value == hooks {
			return takeOutOfRoot(document, index)
		}
	}
	return document.Text, false
}

// withoutVersion removes the version that Install added.
func (f File) withoutVersion(document *jsonedit.Document) ([]byte, bool, error) {
	if document.Root == nil || document.Root.Kind != jsonedit.Object {
		return document.Text, false, nil
	}
	for index, item := range document.Root.Items {
		if string(document.Text[item.Start:item.End()]) == versionMember {
			text, gone := takeOutOfRoot(document, index)
			return text, gone, nil
		}
	}
	return document.Text, false, nil
}

// takeOut removes an item. It reports false when the container has nothing else and was created by Install, so that
// the container has to go.
func takeOut(document *jsonedit.Document, container *jsonedit.Value, index int) ([]byte, bool) {
	if len(container.Items) > 1 {
		return document.Remove(container, index), true
	}
	switch lead := document.Lead(container); {
	case lead == leadOfNull && document.Tail(container) == "":
		return document.Replace(container, "null"), true
	case isNewLine(lead) && isNewLine(document.Tail(container)):
		return nil, false
	}
	return document.Remove(container, index), true
}

// takeOutOfRoot removes a member of the document. The second result says that nothing is left of a file that Install
// created.
func takeOutOfRoot(document *jsonedit.Document, index int) ([]byte, bool) {
	root := document.Root
	if text, done := takeOut(document, root, index); done {
		if len(root.Items) == 1 && document.Lead(root) == leadOfBlank && document.Tail(root) == "" {
			return document.Replace(root, ""), false
		}
		return text, false
	}
	before, behind := document.Around()
	if strings.TrimSpace(before+behind) == "" {
		return nil, true
	}
	return document.Replace(root, "{}"), false
}

// isNewLine reports whether white space begins a line, and is nothing else.
func isNewLine(lead string) bool {
	return strings.Trim(lead, " \t\r\n") == "" && strings.Contains(lead, "\n")
}
