package jsonedit

import (
	"bytes"
	"slices"
	"strings"
)

// Layout is how a document is laid out: its line ends and one step of indentation.
type Layout struct {
	Newline string
	Indent  string
}

// Layout returns the layout of the document, or two spaces for one that shows none.
func (d *Document) Layout() Layout {
	layout := Layout{Newline: "\n", Indent: "  "}
	if end := bytes.IndexByte(d.Text, '\n'); end > 0 && d.Text[end-1] == '\r' {
		layout.Newline = "\r\n"
	}
	if d.Root != nil && len(d.Root.Items) > 0 {
		if indent, own := d.lineIndent(d.Root.Items[0].Start); own && indent != "" {
			layout.Indent = indent
		}
	}
	return layout
}

// lineIndent returns the white space between the start of the line and a position, and whether there is nothing else.
func (d *Document) lineIndent(position int) (string, bool) {
	start := bytes.LastIndexByte(d.Text[:position], '\n') + 1
	before := string(d.Text[start:position])
	return before, start > 0 && strings.Trim(before, " \t") == ""
}

// Insert adds an item behind the last one of a container; the first item of an empty container follows the bracket
// directly, which is how Remove knows that the container was there before.
func (d *Document) Insert(container *Value, item string) []byte {
	if len(container.Items) == 0 {
		return splice(d.Text, container.Start+1, container.Start+1, item)
	}
	last := container.Items[len(container.Items)-1]
	separator := ", "
	if indent, own := d.lineIndent(last.Start); own {
		separator = "," + d.Layout().Newline + indent
	}
	return splice(d.Text, last.End(), last.End(), separator+item)
}

// Replace puts other bytes in the place of a value.
func (d *Document) Replace(v *Value, text string) []byte {
	return splice(d.Text, v.Start, v.End, text)
}

// Remove takes an item out of a container, with one comma. Comments stay.
func (d *Document) Remove(container *Value, index int) []byte {
	item := container.Items[index]
	switch {
	case index > 0:
		return d.cut(container.Items[index-1].End(), item.End(), item)
	case len(container.Items) > 1:
		return d.cut(item.Start, container.Items[1].Start, item)
	}
	return splice(d.Text, item.Start, item.End(), "")
}

// cut removes from..to, which has the item and a comma. When it has a comment too, only the item and the comma go.
func (d *Document) cut(from, to int, item Item) []byte {
	gapStart, gapEnd := from, item.Start
	if from == item.Start {
		gapStart, gapEnd = item.End(), to
	}
	gap := d.Text[gapStart:gapEnd]
	if !bytes.Contains(gap, []byte("/")) {
		return splice(d.Text, from, to, "")
	}
	comma := gapStart + commaIn(gap)
	if comma < item.Start {
		return splice(splice(d.Text, item.Start, item.End(), ""), comma, comma+1, "")
	}
	return splice(splice(d.Text, comma, comma+1, ""), item.Start, item.End(), "")
}

// commaIn returns the place of the comma in a gap of blanks and comments.
func commaIn(gap []byte) int {
	p := &parser{text: gap}
	if p.blanks() != nil || p.at == len(gap) {
		return 0
	}
	return p.at
}

// Lead returns what is between the opening bracket of a container and its first item.
func (d *Document) Lead(container *Value) string {
	if len(container.Items) == 0 {
		return ""
	}
	return string(d.Text[container.Start+1 : container.Items[0].Start])
}

// Tail returns what is between the last item of a container and its closing bracket.
func (d *Document) Tail(container *Value) string {
	if len(container.Items) == 0 {
		return ""
	}
	return string(d.Text[container.Items[len(container.Items)-1].End() : container.End-1])
}

// Around returns what is before and behind the root, without the byte order mark.
func (d *Document) Around() (before, behind string) {
	start := contentStart(d.Text)
	if d.Root == nil {
		return string(d.Text[start:]), ""
	}
	return string(d.Text[start:d.Root.Start]), string(d.Text[d.Root.End:])
}

// Prepend puts text before everything but the byte order mark.
func (d *Document) Prepend(text string) []byte {
	start := contentStart(d.Text)
	return splice(d.Text, start, start, text)
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}
