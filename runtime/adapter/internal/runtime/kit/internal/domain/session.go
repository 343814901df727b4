package domain

import "fmt"

// Identifiers that the orchestrator gives.
type (
	// SessionID identifies a session.
	SessionID string
	// ProjectID identifies a project.
	ProjectID string
	// IssueID identifies an issue.
	IssueID string
)

// SessionKind says what a session is for.
type SessionKind string

// The session kinds.
const (
	KindWorker       SessionKind = "worker"
	KindOrchestrator SessionKind = "orchestrator"
)

// SessionMode says how a person sees a session.
type SessionMode string

// The session modes.
const (
	SessionModeTUI  SessionMode = "tui"
	SessionModeChat SessionMode = "chat"
)

// DefaultSessionMode is the mode of a session that names none.
const DefaultSessionMode = SessionModeTUI

// Valid reports whether m is a session mode.
func (m SessionMode) Valid() bool {
	return m == SessionModeTUI || m == SessionModeChat
}

// NormalizeSessionMode returns mode, or the default for anything that is not a mode.
func NormalizeSessionMode(mode SessionMode) SessionMode {
	if mode.Valid() {
		return mode
	}
	return DefaultSessionMode
}

// ParseSessionMode reads a mode; empty is the default.
func ParseSessionMode(raw string) (SessionMode, error) {
	if raw == "" {
		return DefaultSessionMode, nil
	}
	if mode := SessionMode(raw); mode.Valid() {
		return mode, nil
	}
	return "", fmt.Errorf("session mode %q does not exist; use tui or chat", raw)
}
