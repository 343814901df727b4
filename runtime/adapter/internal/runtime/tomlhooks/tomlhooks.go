// Package tomlhooks installs hooks in a TOML file that may be the user's: a block of `[[hooks]]` tables at its end,
// between two marker lines. Everything outside of the block stays as it is.
package tomlhooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/hookevent"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/textblock"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/tomltext"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/workspace"
)

// File is the file of hooks of one agent.
type File struct {
	// Agent is the ID of the adapter.
	Agent string
	// Path is the file, below the root and with slashes.
	Path string
	// Private is a file outside of a repository, which needs no .gitignore.
	Private bool
	// Timeout is how long the agent waits for a hook, written in whole Units; zero writes none.
	Timeout, Unit time.Duration
	// Events are the hooks to install.
	Events []hookevent.Event
}

func (f File) block() textblock.Block {
	begin := "# managed by agent-orchestrator: " + f.Agent + " hooks"
	return textblock.Block{
		Begin: begin,
		Glued: begin + ", below a line that had no end",
		End:   "# end of " + f.Agent + " hooks",
	}
}

// Install adds the block or brings it up to date.
func (f File) Install(ctx context.Context, root string) error {
	if err := hookevent.Check(f.Events, f.Timeout, f.Unit); err != nil {
		return err
	}
	file, content, err := f.read(ctx, root)
	if err != nil {
		return err
	}
	text, err := f.installed(content.Text, content.Found)
	if err != nil {
		return refused(file, err)
	}
	switch {
	case content.Found && slices.Equal(text, content.Text):
		return nil
	case f.Private:
		return file.WritePrivate(text)
	}
	return file.Write(text, content.Mode)
}

// Uninstall takes the block out. A file that has nothing else is removed.
func (f File) Uninstall(ctx context.Context, root string) error {
	file, content, err := f.read(ctx, root)
	if err != nil || !content.Found {
		return err
	}
	rest, err := f.uninstalled(content.Text)
	switch {
	case err != nil:
		return refused(file, err)
	case !rest.Had:
		return nil
	case rest.Ours:
		return file.Remove()
	case f.Private:
		return file.WritePrivate(rest.Bytes)
	}
	return file.GiveBack(rest.Bytes, content.Mode)
}

// Installed reports whether the block is in the file.
func (f File) Installed(ctx context.Context, root string) (bool, error) {
	file, content, err := f.read(ctx, root)
	if err != nil || !content.Found {
		return false, err
	}
	rest, err := f.uninstalled(content.Text)
	if err != nil {
		return false, refused(file, err)
	}
	return rest.Had, nil
}

func (f File) installed(text []byte, found bool) ([]byte, error) {
	rest, err := f.uninstalled(text)
	if err != nil {
		return nil, err
	}
	lines, err := scanned(rest.Bytes)
	if err != nil {
		return nil, err
	}
	if lines.taken {
		return nil, errors.New("`hooks` is a table or a value there, and must be an array of tables, `[[hooks]]`")
	}
	hidden, err := scanned(text)
	if err != nil {
		return nil, err
	}
	all := hidden.text(text)
	all.Found = found
	return f.block().Put(all, f.lines())
}

func (f File) uninstalled(text []byte) (textblock.Rest, error) {
	lines, err := scanned(text)
	if err != nil {
		return textblock.Rest{}, err
	}
	return f.block().Take(lines.text(text))
}

func (s scan) text(text []byte) textblock.Text {
	return textblock.Text{Bytes: text, Hidden: func(line int) bool { return line < len(s.hidden) && s.hidden[line] }}
}

func (f File) lines() []string {
	var lines []string
	for _, event := range f.Events {
		lines = append(lines, "[[hooks]]", "event = "+tomltext.Quote(event.Native))
		if event.Matcher != "" {
			lines = append(lines, "matcher = "+tomltext.Quote(event.Matcher))
		}
		lines = append(lines, "command = "+tomltext.Quote(hookevent.Command(f.Agent, event.Name)))
		if f.Timeout != 0 {
			lines = append(lines, "timeout = "+strconv.FormatInt(int64(f.Timeout/f.Unit), 10))
		}
	}
	return lines
}

func (f File) read(ctx context.Context, root string) (workspace.File, workspace.Content, error) {
	if err := ctx.Err(); err != nil {
		return workspace.File{}, workspace.Content{}, err
	}
	file, err := workspace.At(root, f.Path)
	if err != nil {
		return file, workspace.Content{}, err
	}
	content, err := file.Read()
	return file, content, err
}

func refused(file workspace.File, err error) error {
	return fmt.Errorf("`%s` was not changed: %w; correct the file or move it away", file.Path(), err)
}
