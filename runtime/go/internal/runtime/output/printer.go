// Package output prints: one envelope or a stream on stdout, notes on stderr, secrets nowhere.
package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/redact"
)

// Format is how answers are printed.
type Format string

// The three formats of the contract.
const (
	JSON Format = "json"
	Text Format = "text"
	Raw  Format = "raw"
)

// Printer prints the answer of one run, once.
type Printer struct {
	Out      io.Writer
	Err      io.Writer
	Format   Format
	Compact  bool
	Quiet    bool
	Redactor *redact.Redactor
	Started  time.Time
	// Notices go to meta; nil is none.
	Notices []any
	// Fields are the wanted fields of the data; none is all.
	Fields []string
	// KnownFields are those that Fields may name.
	KnownFields []string

	mutex     sync.Mutex
	finished  bool
	streaming bool
	failed    error
}

// Success prints the answer of a command.
func (p *Printer) Success(data any) error {
	tree, err := p.safe(data)
	if err != nil {
		return err
	}
	if len(p.Fields) > 0 {
		if tree, err = Fields(tree, p.Fields, p.KnownFields); err != nil {
			return err
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.finished {
		return nil
	}
	p.finished = true
	switch p.Format {
	case Text:
		p.write([]byte(renderText(tree)))
	case Raw:
		// Bytes leave through Bytes; a command without any says nothing.
	default:
		p.document(Object{
			{"ok", true},
			{"schema_version", contract.SchemaVersion},
			{"data", tree},
			{"meta", p.meta()},
		}, p.Compact)
	}
	if errors.Is(p.failed, syscall.EPIPE) {
		// The reader has seen enough.
		return nil
	}
	return p.failed
}

// Bytes passes bytes through as they are, for the format raw.
func (p *Printer) Bytes(content []byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.finished {
		p.write(content)
	}
}

// Failure prints why a command failed: on stdout for programs, on stderr for people.
func (p *Printer) Failure(err *fault.Error) {
	tree, encodeError := p.safe(err.Details())
	if encodeError != nil {
		tree = Object{}
	}
	message := p.Redactor.Text(err.Message)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.finished {
		if p.failed != nil {
			// stdout has failed, so the error can only be reported on stderr.
			p.explain(err.Code, message, tree)
		}
		return
	}
	p.finished = true
	object := Object{
		{"code", err.Code},
		{"message", message},
		{"details", tree},
		{"retryable", err.Retryable()},
	}
	switch {
	case p.Format != JSON:
		p.explain(err.Code, message, tree)
	case p.streaming:
		p.document(Object{
			{"ok", false},
			{"schema_version", contract.SchemaVersion},
			{"type", "summary"},
			{"error", object},
			{"meta", p.meta()},
		}, true)
	default:
		p.document(Object{
			{"ok", false},
			{"schema_version", contract.SchemaVersion},
			{"error", object},
			{"meta", p.meta()},
		}, p.Compact)
	}
}

// Line prints one line of a stream.
func (p *Printer) Line(kind string, data any) error {
	tree, err := p.safe(data)
	if err != nil {
		return err
	}
	if len(p.Fields) > 0 && kind == "item" {
		if tree, err = Fields(tree, p.Fields, p.KnownFields); err != nil {
			return err
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.finished {
		return nil
	}
	p.streaming = true
	if p.Format == Text {
		p.write([]byte(renderText(tree) + "\n"))
		return p.failed
	}
	line := Object{
		{"ok", true},
		{"schema_version", contract.SchemaVersion},
		{"type", kind},
		{"data", tree},
	}
	if kind == "summary" {
		p.finished = true
		line = append(line, Member{"meta", p.meta()})
	}
	p.document(line, true)
	return p.failed
}

// EndStream marks a text stream as complete, so that no second answer follows.
func (p *Printer) EndStream() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.finished = true
}

// Note says something to a person; --quiet drops it.
func (p *Printer) Note(format string, values ...any) {
	if p.Quiet {
		return
	}
	_, _ = fmt.Fprintln(p.Err, p.Redactor.Text(Plain(fmt.Sprintf(format, values...))))
}

func (p *Printer) safe(data any) (any, error) {
	tree, err := Tree(data)
	if err != nil {
		return nil, fault.New(fault.Unknown, "the response cannot be encoded: %v", err).
			WithFix("Report this as a bug").Because(err)
	}
	return Map(tree, p.Redactor.Member), nil
}

func (p *Printer) meta() Object {
	meta := Object{{"duration_ms", time.Since(p.Started).Milliseconds()}}
	if len(p.Notices) > 0 {
		meta = append(meta, Member{"notices", p.Notices})
	}
	return meta
}

func (p *Printer) document(object Object, compact bool) {
	text, err := encode(object)
	if err == nil && !compact {
		var indented bytes.Buffer
		if err = json.Indent(&indented, text, "", "  "); err == nil {
			text = indented.Bytes()
		}
	}
	if err != nil {
		p.failed = err
		return
	}
	p.write(append(visible(text), '\n'))
}

func (p *Printer) write(text []byte) {
	if _, err := p.Out.Write(text); err != nil && p.failed == nil {
		p.failed = fault.New(fault.IO, "the response could not be written: %v", err).
			WithFix("Free disk space or redirect stdout; the command itself has completed").Because(err)
	}
}

func (p *Printer) explain(code, message string, details any) {
	_, _ = fmt.Fprintf(p.Err, "error: %s (%s)\n", Plain(message), code)
	if object, ok := details.(Object); ok {
		if fix, ok := object.Get("fix"); ok {
			_, _ = fmt.Fprintf(p.Err, "fix: %s\n", Plain(fmt.Sprint(fix)))
		}
	}
}

// commands are what a workflow runner carries out: two colons at the start of a line; two hashes, a word and a bracket
// anywhere.
var commands = regexp.MustCompile(`(?m)^\s*::|#{2}[a-z]*\[`)

// Plain makes a text safe for a terminal and for the log of a workflow: control characters and commands are shown, not
// obeyed.
func Plain(text string) string {
	var plain strings.Builder
	for _, symbol := range text {
		switch {
		case symbol == '\n' || symbol == '\t':
			plain.WriteRune(symbol)
		case symbol == utf8.RuneError || !isVisible(symbol):
			_, _ = fmt.Fprintf(&plain, "\\u%04x", symbol)
		default:
			plain.WriteRune(symbol)
		}
	}
	return commands.ReplaceAllStringFunc(plain.String(), func(found string) string {
		if strings.HasSuffix(found, "[") {
			return strings.TrimSuffix(found, "[") + "\\u005b"
		}
		return strings.TrimSuffix(found, "::") + "\\u003a:"
	})
}
