// Package sessionfile writes files of one session into the data directory of the orchestrator, where no repository and
// no other user sees them.
package sessionfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/workspace"
)

// WriteJSON writes a document and returns its path. A later call for the same session replaces the file.
func WriteJSON(dataDir, agent, sessionID, kind string, document any) (string, error) {
	file, err := at(dataDir, agent, sessionID, kind+".json")
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return "", fmt.Errorf("write %s: %w", kind, err)
	}
	return file.Path(), file.WritePrivate(text.Bytes())
}

// Name returns text as a file name of at most 100 letters, digits and dashes.
func Name(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, text)
	name = strings.Trim(name[:min(len(name), 100)], "-")
	if name == "" {
		return "session"
	}
	return name
}

// WriteText writes a text and returns its path. A later call for the same session replaces the file.
func WriteText(dataDir, agent, sessionID, kind, text string) (string, error) {
	file, err := at(dataDir, agent, sessionID, kind+".md")
	if err != nil {
		return "", err
	}
	return file.Path(), file.WritePrivate([]byte(text + "\n"))
}

func at(dataDir, agent, sessionID, kind string) (workspace.File, error) {
	if strings.TrimSpace(dataDir) == "" {
		return workspace.File{}, errors.New("the data directory of the orchestrator is not set, and " + kind + " must be written there")
	}
	return workspace.At(dataDir, "agent-runtime/"+Name(agent)+"/"+Name(sessionID)+"-"+kind)
}
