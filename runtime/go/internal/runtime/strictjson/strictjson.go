// Package strictjson reads JSON that comes from outside. The standard library takes the last of two members with one
// name; here a document that could be read in two ways is refused, and so is one that is nested without end.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

const maxDepth = 64

// Names says when two members of an object have the same name.
type Names int

const (
	// Exact names differ when they are spelled differently: for answers in which names can be data.
	Exact Names = iota
	// Folded names do not differ by case alone, because readers disagree about case: for what is trusted later.
	Folded
)

var errNoJSON = errors.New("it is not JSON")

// Unmarshal reads a document that Check accepts.
func Unmarshal(text []byte, names Names, into any) error {
	if err := Check(text, names); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Check refuses members that stand twice, deep nesting, numbers that no float holds, bytes that are not UTF-8, and
// anything behind the document.
func Check(text []byte, names Names) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := value(decoder, names, 0); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is data after the JSON document")
	}
	return nil
}

func value(decoder *json.Decoder, names Names, depth int) error {
	token, err := decoder.Token()
	if err != nil {
		return errNoJSON
	}
	if number, isNumber := token.(json.Number); isNumber {
		if _, err := number.Float64(); err != nil {
			return errors.New("it has a number that is too large")
		}
	}
	delimiter, composite := token.(json.Delim)
	if !composite {
		return nil
	}
	if depth >= maxDepth {
		return errors.New("it is nested too deeply")
	}
	seen := map[string]bool{}
	for decoder.More() {
		if delimiter == '{' {
			if err := member(decoder, names, seen); err != nil {
				return err
			}
		}
		if err := value(decoder, names, depth+1); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return errNoJSON
	}
	return nil
}

// member reads the name of a member, which must be a new one.
func member(decoder *json.Decoder, names Names, seen map[string]bool) error {
	token, err := decoder.Token()
	name, isText := token.(string)
	if err != nil || !isText {
		return errNoJSON
	}
	if names == Folded {
		name = strings.ToLower(name)
	}
	if seen[name] {
		return errors.New("it has a duplicate member")
	}
	seen[name] = true
	return nil
}
