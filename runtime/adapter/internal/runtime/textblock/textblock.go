// Package textblock keeps lines of the orchestrator in a text of the user, between two marker lines. Removing the block
// restores the bytes of the text.
package textblock

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Block has the marker lines. Glued begins a block in a file of the user that was empty, or had no end of its last line,
// which Put had to add.
type Block struct {
	Begin, Glued, End string
}

// Text is the text of a file. Hidden lines are not looked at, such as the inside of a string; nil is none.
type Text struct {
	Bytes []byte
	// Found says that the file is there.
	Found  bool
	Hidden func(line int) bool
}

type span struct {
	first, last int
	glued       bool
}

// Put adds the block at the end, or replaces the lines of the block that is there.
func (b Block) Put(text Text, content []string) ([]byte, error) {
	at, found, err := b.find(text)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(text.Bytes, []byte("\n"))
	newline := newlineOf(text.Bytes)
	begin := b.Begin
	glue := ""
	if !found {
		at = span{first: len(lines), last: len(lines) - 1}
		if size := len(text.Bytes); size > 0 && text.Bytes[size-1] != '\n' {
			begin, glue = b.Glued, newline
		} else if size == 0 && text.Found {
			begin = b.Glued
		}
	} else if at.glued {
		begin = b.Glued
	}
	block := strings.Join(append(append([]string{begin}, content...), b.End), newline) + newline
	return slices.Concat(join(lines[:at.first]), []byte(glue+block), join(lines[at.last+1:])), nil
}

// Rest is a text without its block.
type Rest struct {
	Bytes []byte
	// Had says that there was a block.
	Had bool
	// Ours says that nothing is left of a file that Put created.
	Ours bool
}

// Take removes the block.
func (b Block) Take(text Text) (Rest, error) {
	at, found, err := b.find(text)
	if err != nil || !found {
		return Rest{Bytes: text.Bytes}, err
	}
	lines := bytes.SplitAfter(text.Bytes, []byte("\n"))
	before := join(lines[:at.first])
	if at.glued {
		before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	}
	rest := slices.Concat(before, join(lines[at.last+1:]))
	return Rest{Bytes: rest, Had: true, Ours: len(rest) == 0 && !at.glued}, nil
}

func (b Block) find(text Text) (span, bool, error) {
	if !utf8.Valid(text.Bytes) {
		return span{}, false, errors.New("it is not text in UTF-8")
	}
	if bytes.HasSuffix(text.Bytes, []byte("\r")) {
		return span{}, false, errors.New("its last line ends with a carriage return alone")
	}
	at := span{first: -1, last: -1}
	for number, line := range bytes.Split(text.Bytes, []byte("\n")) {
		mark := strings.TrimRight(string(line), " \t\r")
		inside := at.first >= 0 && at.last < 0
		switch {
		case !inside && text.Hidden != nil && text.Hidden(number):
		case mark == b.Begin || mark == b.Glued:
			if at.first >= 0 {
				return span{}, false, errors.New("the line `" + mark + "` occurs twice")
			}
			at.first, at.glued = number, mark == b.Glued
		case mark == b.End:
			if !inside {
				return span{}, false, errors.New("the line `" + mark + "` ends a block that does not begin")
			}
			at.last = number
		}
	}
	if at.first >= 0 && at.last < 0 {
		return span{}, false, errors.New("the block that begins with `" + b.Begin + "` has no end")
	}
	return at, at.first >= 0, nil
}

func newlineOf(text []byte) string {
	if end := bytes.IndexByte(text, '\n'); end > 0 && text[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }
