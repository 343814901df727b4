// Package argv builds the command lines of an agent. Texts of users and of the orchestrator never become flags, however
// they begin.
package argv

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

const maxPromptFile = 1 << 20

// Line is a command line.
type Line struct {
	environment []string
	words       []string
}

// New returns a command line that begins with a program.
func New(binary string, words ...string) *Line {
	return &Line{words: append([]string{binary}, words...)}
}

// Add adds words as they are. They must be the adapter's own.
func (l *Line) Add(words ...string) {
	l.words = append(l.words, words...)
}

// Setting sets a variable of the environment for the program.
func (l *Line) Setting(name, value string) {
	l.environment = append(l.environment, name+"="+value)
}

// Option adds a flag and a value. A blank value adds nothing. A value that begins with a dash is joined to its flag.
func (l *Line) Option(flag, value string) {
	if strings.TrimSpace(value) == "" {
		return
	}
	switch {
	case !strings.HasPrefix(value, "-"):
		l.Add(flag, value)
	case strings.HasPrefix(flag, "--"):
		l.Add(flag + "=" + value)
	default:
		l.Add(flag, " "+value)
	}
}

// PromptBehindDashes adds the prompt behind `--`, where no word is a flag.
func (l *Line) PromptBehindDashes(prompt string) {
	if prompt != "" {
		l.Add("--", prompt)
	}
}

// PromptOption adds the prompt as the value of a flag.
func (l *Line) PromptOption(flag, prompt string) {
	l.Option(flag, prompt)
}

// PromptWord adds the prompt as a word, for an agent that does not know `--`. A space keeps it from being a flag.
func (l *Line) PromptWord(prompt string) {
	if strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt
	}
	if prompt != "" {
		l.Add(prompt)
	}
}

// Args returns the command line.
func (l *Line) Args() []string {
	if len(l.environment) == 0 {
		return l.words
	}
	return append(append([]string{"env"}, l.environment...), l.words...)
}

// Session is what a session is started and continued with.
type Session struct {
	ID, DataDir, WorkspacePath    string
	Config                        ports.AgentConfig
	Permissions                   ports.PermissionMode
	AllowedTools, DisallowedTools []string
	SystemPrompt                  string
	SystemPromptFile              string
}

// Launched returns what a new session has.
func Launched(cfg ports.LaunchConfig) (Session, error) {
	return Session{
		ID: cfg.SessionID, DataDir: cfg.DataDir, WorkspacePath: cfg.WorkspacePath,
		Config: cfg.Config, Permissions: Mode(cfg.Permissions, cfg.Config.Permissions),
		AllowedTools: cfg.AllowedTools, DisallowedTools: cfg.DisallowedTools,
		SystemPrompt: cfg.SystemPrompt, SystemPromptFile: cfg.SystemPromptFile,
	}, cfg.Config.Validate()
}

// Restored returns what a continued session has: the same as a new one.
func Restored(cfg ports.RestoreConfig) (Session, error) {
	return Session{
		ID: cfg.Session.ID, DataDir: cfg.DataDir, WorkspacePath: cfg.Session.WorkspacePath,
		Config: cfg.Config, Permissions: Mode(cfg.Permissions, cfg.Config.Permissions),
		AllowedTools: cfg.AllowedTools, DisallowedTools: cfg.DisallowedTools,
		SystemPrompt: cfg.SystemPrompt, SystemPromptFile: cfg.SystemPromptFile,
	}, cfg.Config.Validate()
}

// Model returns the configured model.
func (s Session) Model() string {
	return strings.TrimSpace(s.Config.Model)
}

// SystemText returns the system prompt as text, from its file when there is no text.
func (s Session) SystemText() (string, error) {
	return SystemText(s.SystemPrompt, s.SystemPromptFile)
}

// SystemText returns a system prompt as text, from its file when there is no text.
func SystemText(inline, file string) (string, error) {
	if strings.TrimSpace(inline) != "" || strings.TrimSpace(file) == "" {
		return strings.TrimSpace(inline), nil
	}
	opened, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read the system prompt: %w", err)
	}
	defer func() { _ = opened.Close() }()
	text, err := io.ReadAll(io.LimitReader(opened, maxPromptFile+1))
	if err != nil {
		return "", fmt.Errorf("read the system prompt: %w", err)
	}
	if len(text) > maxPromptFile || !utf8.Valid(text) {
		return "", fmt.Errorf("the system prompt `%s` must be text in UTF-8 of at most %d bytes", file, maxPromptFile)
	}
	return strings.TrimSpace(string(text)), nil
}

// Mode returns the permission mode: that of the session, or that of the project, or the default.
func Mode(session, project ports.PermissionMode) ports.PermissionMode {
	if session == "" {
		session = project
	}
	return ports.NormalizePermissionMode(session)
}

// NativeSession returns the agent's own ID of a session. An ID that could not be a word of a command line is none.
func NativeSession(session ports.SessionRef) (string, bool) {
	id := strings.TrimSpace(session.Metadata[ports.MetadataKeyAgentSessionID])
	usable := id != "" && !strings.HasPrefix(id, "-") && !strings.ContainsFunc(id, unicode.IsControl)
	return id, usable && len(id) <= 256
}
