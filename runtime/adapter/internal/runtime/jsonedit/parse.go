// Package jsonedit changes a JSON document of the user and keeps every other byte: order, spacing, escapes in strings,
// comments, a byte order mark. It never decodes and rewrites a whole document.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Limits of a document.
const (
	MaxSize  = 1 << 20
	maxDepth = 200
)

// Kind is the kind of a value.
type Kind int

// The kinds of JSON values.
const (
	Object Kind = iota
	Array
	String
	Number
	Bool
	Null
)

func (k Kind) String() string {
	return [...]string{"an object", "an array", "a string", "a number", "a boolean", "null"}[k]
}

// Value is a value and where it is in the text. Items are the members of an object or the elements of an array.
type Value struct {
	Kind       Kind
	Start, End int
	Items      []Item
}

// Item is a member or an element. Start is that of the name for a member, and that of the value for an element.
type Item struct {
	Name  string
	Start int
	Value *Value
}

// End is where the item ends.
func (i Item) End() int { return i.Value.End }

// Document is a text and its value. Root is nil when the text has nothing but blanks and comments.
type Document struct {
	Text []byte
	Root *Value
}

// SyntaxError says where a text is not JSON.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse reads JSON with comments. It keeps text, which must not change afterwards.
func Parse(text []byte) (*Document, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("it has more than %d bytes", MaxSize)
	}
	p := &parser{text: text}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("it is not text in UTF-8")
	}
	p.at = contentStart(text)
	if err := p.blanks(); err != nil {
		return nil, err
	}
	if p.at == len(text) {
		return &Document{Text: text}, nil
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.blanks(); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.fail("there is data after the document")
	}
	return &Document{Text: text, Root: root}, nil
}

// contentStart is where the document begins: behind a byte order mark.
func contentStart(text []byte) int {
	if bytes.HasPrefix(text, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// StringOf returns the string that a value is, and false for every other kind.
func (d *Document) StringOf(v *Value) (string, bool) {
	if v == nil || v.Kind != String {
		return "", false
	}
	var text string
	if json.Unmarshal(d.Text[v.Start:v.End], &text) != nil {
		return "", false
	}
	return text, true
}

// Raw returns the bytes of a value as they are in the text.
func (d *Document) Raw(v *Value) string {
	return string(d.Text[v.Start:v.End])
}

// Find returns the member of an object with that name. A name that occurs twice is an error, because programs disagree
// about which of the two counts.
func (v *Value) Find(name string) (*Value, error) {
	var found *Value
	for _, item := range v.Items {
		if v.Kind != Object || item.Name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the member %q occurs twice", name)
		}
		found = item.Value
	}
	return found, nil
}

type parser struct {
	text []byte
	at   int
}

func (p *parser) fail(reason string) error {
	before := p.text[:min(p.at, len(p.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &SyntaxError{Line: line, Column: column, Reason: reason}
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// blanks skips white space and comments.
func (p *parser) blanks() error {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			p.at++
		case bytes.HasPrefix(rest, []byte("//")):
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return p.fail("the comment has no end")
			}
			p.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, p.fail("it is nested too deeply")
	}
	start := p.at
	var kind Kind
	var items []Item
	var err error
	switch c := p.peek(); {
	case c == '{':
		kind = Object
		items, err = p.items('}', depth)
	case c == '[':
		kind = Array
		items, err = p.items(']', depth)
	case c == '"':
		kind = String
		_, err = p.string()
	case c == '-' || c >= '0' && c <= '9':
		kind = Number
		err = p.number()
	default:
		kind, err = p.word()
	}
	if err != nil {
		return nil, err
	}
	return &Value{Kind: kind, Start: start, End: p.at, Items: items}, nil
}

// items reads the members or elements up to the closing bracket.
func (p *parser) items(closing byte, depth int) ([]Item, error) {
	var items []Item
	p.at++
	for {
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if p.peek() == closing && len(items) == 0 {
			p.at++
			return items, nil
		}
		item, err := p.item(closing == '}', depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if err := p.blanks(); err != nil {
			return nil, err
		}
		switch p.peek() {
		case ',':
			p.at++
		case closing:
			p.at++
			return items, nil
		default:
			return nil, p.fail(fmt.Sprintf("a comma or %q must be here", closing))
		}
	}
}

func (p *parser) item(member bool, depth int) (Item, error) {
	item := Item{Start: p.at}
	if member {
		if p.peek() != '"' {
			return item, p.fail("the name of a member must be here, in double quotes; a comma must not end an object")
		}
		var err error
		if item.Name, err = p.string(); err != nil {
			return item, err
		}
		if err := p.blanks(); err != nil {
			return item, err
		}
		if p.peek() != ':' {
			return item, p.fail("a colon must be here")
		}
		p.at++
		if err := p.blanks(); err != nil {
			return item, err
		}
	}
	var err error
	item.Value, err = p.value(depth + 1)
	return item, err
}

func (p *parser) string() (string, error) {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\':
			p.at++
		case c == '"':
			p.at++
			var text string
			if json.Unmarshal(p.text[start:p.at], &text) != nil {
				p.at = start
				return "", p.fail("the string has an escape that does not exist")
			}
			return text, nil
		case c < ' ':
			return "", p.fail("a string must not have a control character")
		}
	}
	p.at = start
	return "", p.fail("the string has no end")
}

func (p *parser) number() error {
	start := p.at
	for p.at < len(p.text) && bytes.IndexByte([]byte("+-.0123456789eE"), p.text[p.at]) >= 0 {
		p.at++
	}
	if !json.Valid(p.text[start:p.at]) {
		p.at = start
		return p.fail("the number is not a JSON number")
	}
	return nil
}

func (p *parser) word() (Kind, error) {
	for word, kind := range map[string]Kind{"true": Bool, "false": Bool, "null": Null} {
		if bytes.HasPrefix(p.text[p.at:], []byte(word)) {
			p.at += len(word)
			return kind, nil
		}
	}
	return Null, p.fail("a value must be here")
}
