package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode"
	"unicode/utf16"
)

// Member is one member of an Object.
type Member struct {
	Key   string
	Value any
}

// Object is a JSON object that keeps the order of its members.
type Object []Member

// Get returns the value of a member.
func (o Object) Get(key string) (any, bool) {
	for _, member := range o {
		if member.Key == key {
			return member.Value, true
		}
	}
	return nil, false
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for index, member := range o {
		if index > 0 {
			text.WriteByte(',')
		}
		key, err := encode(member.Key)
		if err != nil {
			return nil, err
		}
		value, err := encode(member.Value)
		if err != nil {
			return nil, err
		}
		text.Write(key)
		text.WriteByte(':')
		text.Write(value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// Tree turns any value into Objects, slices, texts, json.Numbers, booleans and nil, in the order in which the value
// is encoded.
func Tree(value any) (any, error) {
	text, err := encode(value)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Parse reads one JSON document into the values of Tree.
func Parse(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := parseValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is data after the JSON document")
	}
	return value, nil
}

func parseValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delimiter, composite := token.(json.Delim)
	if !composite {
		return token, nil
	}
	if delimiter == '[' {
		list := []any{}
		for decoder.More() {
			value, err := parseValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.Token()
		return list, err
	}
	object := Object{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		object = append(object, Member{Key: name, Value: value})
	}
	_, err = decoder.Token()
	return object, err
}

// Map changes each text in a tree; name is the member that contains the text.
func Map(value any, change func(name, text string) string) any {
	return mapNamed("", value, change)
}

func mapNamed(name string, value any, change func(name, text string) string) any {
	switch value := value.(type) {
	case string:
		return change(name, value)
	case []any:
		list := make([]any, len(value))
		for index, item := range value {
			list[index] = mapNamed(name, item, change)
		}
		return list
	case Object:
		object := make(Object, len(value))
		for index, member := range value {
			// Keys can come from outside as well; they have no name of their own.
			object[index] = Member{Key: change("", member.Key), Value: mapNamed(member.Key, member.Value, change)}
		}
		return object
	}
	return value
}

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// isVisible reports whether a symbol shows something of its own. Fillers, joiners and selectors can hide a whole message;
// U+FE0E and U+FE0F follow many ordinary symbols.
func isVisible(symbol rune) bool {
	if symbol == 0xfe0e || symbol == 0xfe0f {
		return true
	}
	return unicode.IsPrint(symbol) && !unicode.In(symbol, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// runnerMarks are what a workflow runner looks for anywhere in a line.
var runnerMarks = regexp.MustCompile(`##([a-z]*)\[`)

// visible escapes invisible characters in a document, and marks that a workflow runner would execute. The values of the
// document stay the same.
func visible(document []byte) []byte {
	var safe bytes.Buffer
	for _, symbol := range string(document) {
		if symbol < 0x7f || isVisible(symbol) {
			safe.WriteRune(symbol)
			continue
		}
		for _, unit := range utf16.Encode([]rune{symbol}) {
			_, _ = fmt.Fprintf(&safe, "\\u%04x", unit)
		}
	}
	return runnerMarks.ReplaceAll(safe.Bytes(), []byte(`##${1}\u005b`))
}
