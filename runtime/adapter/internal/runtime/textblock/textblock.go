// Package textblock keeps lines of the orchestrator in a text of somebody else, between two marker lines. Taking the
// block out gives back the bytes of the text.
package textblock

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Block has the marker lines. Glued begins a block before which a line without an end had to be ended.
type Block struct {
	Begin, Glued, End string
}

// Text is a text and the lines of it that are not data, such as the inside of a string. Nil is none.
type Text struct {
	Bytes  []byte
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
		}
	} else if at.glued {
		begin = b.Glued
	}
	block := strings.Join(append(append([]string{begin}, content...), b.End), newline) + newline
	return slices.Concat(join(lines[:at.first]), []byte(glue+block), join(lines[at.last+1:])), nil
}

// Take removes the block. The second result says whether there was one.
func (b Block) Take(text Text) ([]byte, bool, error) {
	at, found, err := b.find(text)
	if err != nil || !found {
		return text.Bytes, false, err
	}
	lines := bytes.SplitAfter(text.Bytes, []byte("\n"))
	before := join(lines[:at.first])
	if at.glued {
		before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	}
	return slices.Concat(before, join(lines[at.last+1:])), true, nil
}

// Lines returns the lines of the block, without the markers.
func (b Block) Lines(text Text) ([]string, bool, error) {
	at, found, err := b.find(text)
	if err != nil || !found {
		return nil, false, err
	}
	var content []string
	for _, line := range bytes.Split(text.Bytes, []byte("\n"))[at.first+1 : at.last] {
		content = append(content, strings.TrimSuffix(string(line), "\r"))
	}
	return content, true, nil
}

func (b Block) find(text Text) (span, bool, error) {
	if !utf8.Valid(text.Bytes) {
		return span{}, false, errors.New("it is not text in UTF-8")
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
