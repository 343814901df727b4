// Package described makes commands from a table of the operations of an API, `operations.json`. The table is data and the
// user's: this package reads it, writes requests as it describes them, and reads the replies.
package described

import (
	"encoding/json"
	"fmt"
)

// Table is everything that is known about the API.
type Table struct {
	BaseURL    string            `json:"base_url"`
	Auth       Auth              `json:"auth"`
	Health     string            `json:"health"`
	Groups     map[string]string `json:"groups"`
	Operations []*Operation      `json:"operations"`
}

// Auth is how the credential travels: bearer, basic, header, query or none.
type Auth struct {
	Form string `json:"form"`
	Name string `json:"name"`
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

// MustRead reads the table that is embedded in the program.
func MustRead(text []byte) *Table {
	var table Table
	if err := json.Unmarshal(text, &table); err != nil {
		panic(fmt.Sprintf("operations.json cannot be read: %v", err))
	}
	return &table
}
