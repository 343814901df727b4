// Package described makes commands from a table of the operations of an API: `api.json`, and a file for each group of
// commands in `operations`, so that a call reads what it needs. The table is data and the user's: this package reads it,
// writes requests as it describes them, and reads the replies.
package described

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// Table is everything that is known about the API.
type Table struct {
	BaseURL string            `json:"base_url"`
	Auth    Auth              `json:"auth"`
	Health  string            `json:"health"`
	Groups  map[string]string `json:"groups"`
	files   fs.FS
	mutex   sync.Mutex
	// known are the groups that were read.
	known map[string][]*Operation
}

// Auth is how the credential travels: bearer, basic, header, query, keys or none.
type Auth struct {
	Form string `json:"form"`
	Name string `json:"name"`
	// Keys are those that the API takes at once, with the form keys.
	Keys []Key `json:"keys"`
}

// Key is one of several keys.
type Key struct {
	// Variable is its environment variable, without the prefix of the tool.
	Variable string `json:"variable"`
	Form     string `json:"form"`
	Name     string `json:"name"`
}

// Variables are those of several keys; an API with one key has none.
func (a Auth) Variables() []string {
	names := []string{}
	for _, key := range a.Keys {
		names = append(names, key.Variable)
	}
	return names
}

// Operation is one operation, which is one command.
type Operation struct {
	Command     string   `json:"command"`
	ID          string   `json:"id"`
	Request     string   `json:"request"`
	Summary     string   `json:"summary"`
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Writes      bool     `json:"writes"`
	Dangerous   bool     `json:"dangerous"`
	Public      bool     `json:"public"`
	ContentType string   `json:"content_type"`
	Reply       string   `json:"reply"`
	Members     []string `json:"members"`
	List        *List    `json:"list"`
	// Reads is the command that shows what a write is about.
	Reads   string   `json:"reads"`
	Inputs  []*Input `json:"inputs"`
	Example []string `json:"example"`
}

// List says where the entries of a list are, and how its pages follow each other.
type List struct {
	Items    string `json:"items"`
	ItemID   string `json:"item_id"`
	Style    string `json:"style"`
	Limit    string `json:"limit"`
	MaxLimit int    `json:"max_limit"`
	Position string `json:"position"`
	Next     string `json:"next"`
	More     string `json:"more"`
	Total    string `json:"total"`
	// Place is `body` if the size and the position of a page are members of the body; they are in the query otherwise.
	Place string `json:"place"`
}

// Input is one flag.
type Input struct {
	Flag     string   `json:"flag"`
	Option   string   `json:"option"`
	Name     string   `json:"name"`
	Place    string   `json:"place"`
	Kind     string   `json:"kind"`
	Required bool     `json:"required"`
	Help     string   `json:"help"`
	Style    string   `json:"style"`
	Typed    bool     `json:"typed"`
	Values   []string `json:"values"`
}

// MustRead reads what holds for the whole API; files are those that are embedded in the program.
func MustRead(files fs.FS) *Table {
	table := &Table{files: files, known: map[string][]*Operation{}}
	mustRead(files, "api.json", table)
	return table
}

// Operations are those of a group of commands; there are none in a group that api.json does not name.
func (t *Table) Operations(group string) []*Operation {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if _, named := t.Groups[group]; !named {
		return nil
	}
	if _, known := t.known[group]; !known {
		var found []*Operation
		mustRead(t.files, "operations/"+group+".json", &found)
		for _, operation := range found {
			if !strings.HasPrefix(operation.Command, group+" ") {
				panic(fmt.Sprintf("`%s` is among the commands of `%s`", operation.Command, group))
			}
		}
		t.known[group] = found
	}
	return t.known[group]
}

// operation is that of a command; nil when there is none.
func (t *Table) operation(command string) *Operation {
	group, _, _ := strings.Cut(command, " ")
	for _, operation := range t.Operations(group) {
		if operation.Command == command {
			return operation
		}
	}
	return nil
}

func mustRead(files fs.FS, name string, into any) {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		panic(fmt.Sprintf("%s cannot be read: %v", name, err))
	}
}
