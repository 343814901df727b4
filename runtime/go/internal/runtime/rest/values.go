package rest

import (
	"encoding/json"
	"errors"
	"regexp"
	"time"
)

// A response is accepted only if it makes sense: an incomplete one is a fault of the server, and never becomes an
// entry without an id, a complete list that was not there, or a page that leads back to itself.

const maxCursor = 4096

var (
	headerForm = regexp.MustCompile(`^[!-~]{1,256}$`)
	idForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,199}$`)
	nameForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
)

// ID is an id, whether the API sends it as a text or as a whole number.
type ID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *ID) UnmarshalJSON(content []byte) error {
	if len(content) > 0 && content[0] == '"' {
		return json.Unmarshal(content, (*string)(id))
	}
	var number int64
	if err := json.Unmarshal(content, &number); err != nil || string(content) == "null" {
		return errors.New("an id is neither a text nor a whole number")
	}
	*id = ID(content)
	return nil
}

// IsID reports whether a text can be an id: it may appear in a message and in a command line.
func IsID(text string) bool {
	return idForm.MatchString(text)
}

// IsName reports whether a text can be the name of a state, a kind or a project: a sentence cannot.
func IsName(text string) bool {
	return nameForm.MatchString(text)
}

// IsHeaderValue reports whether a text, such as a version for If-Match, may be sent in a header.
func IsHeaderValue(text string) bool {
	return headerForm.MatchString(text)
}

// UTC writes a time as answers have it: RFC 3339 in UTC, with seconds.
func UTC(moment time.Time) string {
	return moment.UTC().Format(time.RFC3339)
}

// Page is a page of a list, as commands answer it.
type Page[T any] struct {
	Items      []T     `json:"items"`
	Count      int     `json:"count"`
	NextCursor *string `json:"next_cursor"`
	HasMore    bool    `json:"has_more"`
}

// Asked is the page that a request asked for.
type Asked struct {
	Limit  int
	Cursor string
}

// NewPage makes a page of the entries of an answer; next is empty on the last page. It refuses an answer that cannot be
// right: no list, more than was asked for, an entry twice, a cursor that leads back.
func NewPage[T any](entries []T, id func(T) string, next string, asked Asked) (Page[T], error) {
	switch {
	case entries == nil:
		return Page[T]{}, errors.New("a page has no list")
	case len(entries) > asked.Limit:
		return Page[T]{}, errors.New("a page has more entries than were requested")
	case len(next) > maxCursor:
		return Page[T]{}, errors.New("a page has a cursor that is too long")
	case next != "" && next == asked.Cursor:
		return Page[T]{}, errors.New("a page refers to itself as the next page")
	}
	if err := Distinct(entries, id); err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Items: entries, Count: len(entries), HasMore: next != ""}
	if page.HasMore {
		page.NextCursor = &next
	}
	return page, nil
}

// Distinct refuses a list that has an entry twice.
func Distinct[T any](entries []T, id func(T) string) error {
	seen := map[string]bool{}
	for _, entry := range entries {
		if seen[id(entry)] {
			return errors.New("an entry occurs twice")
		}
		seen[id(entry)] = true
	}
	return nil
}

// Convert makes the entries of a list into those of an answer; a list that is missing stays nil.
func Convert[Wire, Entry any](wires []Wire, convert func(Wire) (Entry, error)) ([]Entry, error) {
	if wires == nil {
		return nil, nil
	}
	entries := make([]Entry, len(wires))
	for index, wire := range wires {
		entry, err := convert(wire)
		if err != nil {
			return nil, err
		}
		entries[index] = entry
	}
	return entries, nil
}
