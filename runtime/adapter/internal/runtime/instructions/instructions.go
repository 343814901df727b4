// Package instructions gives an agent its system prompt in a file of the workspace, for agents without an option for it.
package instructions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/ownedfile"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/sessionfile"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/textblock"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/workspace"
)

// Shared is a file that the user may have too, such as AGENTS.md. The system prompt is a block in it.
type Shared struct {
	// Agent is the ID of the adapter.
	Agent string
	// Path is the file, below the workspace and with slashes.
	Path string
}

func (s Shared) block() textblock.Block {
	begin := "managed by agent-orchestrator: " + s.Agent + " system prompt"
	return textblock.Block{
		Begin: "<!-- " + begin + " -->",
		Glued: "<!-- " + begin + ", below a line that had no end -->",
		End:   "<!-- end of " + s.Agent + " system prompt -->",
	}
}

// Install writes the system prompt, or removes an older one when there is none.
func (s Shared) Install(ctx context.Context, workspacePath, systemText string) error {
	if systemText == "" {
		return s.Uninstall(ctx, workspacePath)
	}
	file, content, err := s.read(ctx, workspacePath)
	if err != nil {
		return err
	}
	block := s.block()
	lines := strings.Split(strings.ReplaceAll(systemText, "\r\n", "\n"), "\n")
	for index, line := range lines {
		// A marker inside of the prompt would end the block.
		if trimmed := strings.TrimSpace(line); trimmed == block.Begin || trimmed == block.Glued || trimmed == block.End {
			lines[index] = "> " + line
		}
	}
	text, err := block.Put(textblock.Text{Bytes: content.Text, Found: content.Found}, lines)
	if err != nil {
		return fmt.Errorf("`%s` was not changed: %w; correct the file or move it away", file.Path(), err)
	}
	if content.Found && slices.Equal(text, content.Text) {
		return nil
	}
	return file.Write(text, content.Mode)
}

// Uninstall takes the system prompt out. A file that has nothing else is removed.
func (s Shared) Uninstall(ctx context.Context, workspacePath string) error {
	file, content, err := s.read(ctx, workspacePath)
	if err != nil || !content.Found {
		return err
	}
	rest, err := s.block().Take(textblock.Text{Bytes: content.Text})
	switch {
	case err != nil:
		return fmt.Errorf("`%s` was not changed: %w; correct the file or move it away", file.Path(), err)
	case !rest.Had:
		return nil
	case rest.Ours:
		return file.Remove()
	}
	return file.GiveBack(rest.Bytes, content.Mode)
}

func (s Shared) read(ctx context.Context, workspacePath string) (workspace.File, workspace.Content, error) {
	if err := ctx.Err(); err != nil {
		return workspace.File{}, workspace.Content{}, err
	}
	file, err := workspace.At(workspacePath, s.Path)
	if err != nil {
		return file, workspace.Content{}, err
	}
	content, err := file.Read()
	return file, content, err
}

// Rule is a file of the workspace that the agent reads in every session, and that only the orchestrator writes.
type Rule struct {
	// Path is the file, below the workspace and with slashes.
	Path string
}

const ruleSentinel = "<!-- managed by agent-orchestrator: rule -->"

func (r Rule) file(systemText string) ownedfile.File {
	text := "---\ndescription: Role of this session, given by the orchestrator\nalwaysApply: true\n---\n\n" +
		ruleSentinel + "\n\n" + systemText + "\n"
	return ownedfile.File{Path: r.Path, Sentinel: ruleSentinel, Text: text}
}

// Install writes the system prompt, or removes an older one when there is none.
func (r Rule) Install(ctx context.Context, workspacePath, systemText string) error {
	if systemText == "" {
		return r.Uninstall(ctx, workspacePath)
	}
	return r.file(systemText).Install(ctx, workspacePath)
}

// Uninstall removes the rule. A file of the user stays.
func (r Rule) Uninstall(ctx context.Context, workspacePath string) error {
	return r.file("").Uninstall(ctx, workspacePath)
}

// Profile is a file of its own for each session, which the command line names.
type Profile struct {
	// Agent is the ID of the adapter.
	Agent string
	// Directory is below the workspace, with slashes.
	Directory string
}

const profileSentinel = "<!-- managed by agent-orchestrator: agent profile -->"

// Name returns the name of the profile of a session, or nothing when it has no system prompt.
func (p Profile) Name(sessionID, systemText string) string {
	if systemText == "" {
		return ""
	}
	return "ao-" + sessionfile.Name(sessionID)
}

// Install writes the profile of a session that has a system prompt.
func (p Profile) Install(ctx context.Context, workspacePath, sessionID, systemText string) error {
	name := p.Name(sessionID, systemText)
	if name == "" {
		return ctx.Err()
	}
	text := "---\nname: " + name + "\ndescription: Role of this session, given by the orchestrator. Use it for all work.\n---\n\n" +
		profileSentinel + "\n\n" + systemText + "\n"
	file := ownedfile.File{Path: p.Directory + "/" + name + ".agent.md", Sentinel: profileSentinel, Text: text}
	return file.Install(ctx, workspacePath)
}

// Uninstall removes the profiles of all sessions.
func (p Profile) Uninstall(ctx context.Context, workspacePath string) error {
	names, err := workspace.Names(workspacePath, p.Directory)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, "ao-") && strings.HasSuffix(name, ".agent.md") {
			file := ownedfile.File{Path: p.Directory + "/" + name, Sentinel: profileSentinel}
			if err := file.Uninstall(ctx, workspacePath); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
