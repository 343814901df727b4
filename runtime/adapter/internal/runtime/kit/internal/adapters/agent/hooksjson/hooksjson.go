// Package hooksjson installs hooks in a file of matcher groups. It decodes the whole file and writes it anew, as the
// package of that name in the orchestrator does; the generated adapters use their own merge, which keeps every byte.
package hooksjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
)

// HookEntry is one hook.
type HookEntry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// MatcherGroup has the hooks of one matcher.
type MatcherGroup struct {
	Matcher *string     `json:"matcher,omitempty"`
	Hooks   []HookEntry `json:"hooks"`
}

// HookSpec is a hook that the adapter installs.
type HookSpec struct {
	Event   string
	Matcher *string
	Command string
}

// Manager installs and removes the hooks of one adapter.
type Manager struct {
	// Label begins every error.
	Label string
	// CommandPrefix begins the command of every hook of the adapter.
	CommandPrefix string
	// Timeout is written into each hook.
	Timeout int
	// Path returns the file of a workspace.
	Path func(workspacePath string) string
	// Managed has the hooks to install.
	Managed []HookSpec
}

// Install adds the hooks and replaces older ones of the adapter.
func (m Manager) Install(ctx context.Context, workspacePath string) error {
	path, document, hooks, err := m.read(ctx, "GetAgentHooks", workspacePath)
	if err != nil {
		return err
	}
	for event, groups := range hooks {
		hooks[event] = m.without(groups)
	}
	for _, spec := range m.Managed {
		entry := HookEntry{Type: "command", Command: spec.Command, Timeout: m.Timeout}
		hooks[spec.Event] = append(hooks[spec.Event], MatcherGroup{Matcher: spec.Matcher, Hooks: []HookEntry{entry}})
	}
	if err := m.write(path, document, hooks); err != nil {
		return fmt.Errorf("%s.GetAgentHooks: %w", m.Label, err)
	}
	return hookutil.EnsureWorkspaceGitignore(filepath.Dir(path), filepath.Base(path))
}

// Uninstall removes the hooks of the adapter.
func (m Manager) Uninstall(ctx context.Context, workspacePath string) error {
	path, document, hooks, err := m.read(ctx, "UninstallHooks", workspacePath)
	if err != nil || !hookutil.FileExists(path) {
		return err
	}
	for event, groups := range hooks {
		hooks[event] = m.without(groups)
	}
	return m.write(path, document, hooks)
}

// AreInstalled reports whether a hook of the adapter is there.
func (m Manager) AreInstalled(ctx context.Context, workspacePath string) (bool, error) {
	_, _, hooks, err := m.read(ctx, "AreHooksInstalled", workspacePath)
	if err != nil {
		return false, err
	}
	for _, groups := range hooks {
		for _, group := range groups {
			for _, entry := range group.Hooks {
				if strings.HasPrefix(entry.Command, m.CommandPrefix) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func (m Manager) without(groups []MatcherGroup) []MatcherGroup {
	var kept []MatcherGroup
	for _, group := range groups {
		var entries []HookEntry
		for _, entry := range group.Hooks {
			if !strings.HasPrefix(entry.Command, m.CommandPrefix) {
				entries = append(entries, entry)
			}
		}
		if len(entries) > 0 {
			kept = append(kept, MatcherGroup{Matcher: group.Matcher, Hooks: entries})
		}
	}
	return kept
}

func (m Manager) read(ctx context.Context, call, workspacePath string) (
	path string, document map[string]json.RawMessage, hooks map[string][]MatcherGroup, err error,
) {
	document, hooks = map[string]json.RawMessage{}, map[string][]MatcherGroup{}
	if err := ctx.Err(); err != nil {
		return "", nil, nil, err
	}
	if strings.TrimSpace(workspacePath) == "" {
		return "", nil, nil, fmt.Errorf("%s.%s: the workspace path is empty", m.Label, call)
	}
	path = m.Path(workspacePath)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return path, document, hooks, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if raw, present := document["hooks"]; err == nil && present {
		err = json.Unmarshal(raw, &hooks)
	}
	if err != nil {
		return "", nil, nil, fmt.Errorf("%s.%s: read %s: %w", m.Label, call, path, err)
	}
	if document == nil {
		document = map[string]json.RawMessage{}
	}
	if hooks == nil {
		hooks = map[string][]MatcherGroup{}
	}
	return path, document, hooks, nil
}

func (m Manager) write(path string, document map[string]json.RawMessage, hooks map[string][]MatcherGroup) error {
	for event, groups := range hooks {
		if len(groups) == 0 {
			delete(hooks, event)
		}
	}
	delete(document, "hooks")
	if len(hooks) > 0 {
		raw, err := json.Marshal(hooks)
		if err != nil {
			return err
		}
		document["hooks"] = raw
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return hookutil.AtomicWriteFile(path, append(text, '\n'), 0o600)
}
