package cli

import (
	"context"
	"slices"
	"strconv"

	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
)

// Policy says when a write asks for a token.
type Policy string

// The policies of the contract.
const (
	Always    Policy = "always"
	WhenLossy Policy = "when_lossy"
	Exempt    Policy = "exempt"
)

// Command is one leaf command: everything that help, reference and the run need to know about it. A command reads
// with Run or writes with Plan.
type Command struct {
	// Path has the words behind the name of the tool.
	Path string
	// Aliases are former paths, which still work.
	Aliases []string
	Summary string
	Detail  string
	Params  []Param
	// Output names the schema of the data.
	Output string
	// Examples are calls without the name of the tool.
	Examples []string

	// Run answers a query. A command that streams prints its lines itself and returns nothing.
	Run    func(*Call) (any, error)
	Stream bool
	// Raw means that the format raw passes bytes through.
	Raw bool

	// Plan finds out what a write would do; it may read and changes nothing.
	Plan    func(*Call) (*Plan, error)
	Confirm Policy
	// Dangerous writes cannot be undone or reach far; they need --dangerous as well.
	Dangerous bool
	// Batch writes have a plural flag and a result for each target.
	Batch bool
}

// Plan is what a write would do.
type Plan struct {
	// Preview is shown; a token is bound to all of it.
	Preview any
	// Payload is bound as well and not shown.
	Payload any
	// Account is who writes; empty when the write stays on this machine.
	Account rest.Account
	// Lossy means that something would be lost.
	Lossy bool
	// Apply carries it out; key is new for each confirmation.
	Apply func(ctx context.Context, key string) (any, error)
}

// Change is one change in a preview.
type Change struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
	ID       any    `json:"id"`
	Before   any    `json:"before"`
	After    any    `json:"after"`
}

// Preview is the preview of a write on one object.
type Preview struct {
	Changes []Change `json:"changes"`
}

// BatchPreview is the preview of a write on several objects.
type BatchPreview struct {
	Action  string   `json:"action"`
	Targets []string `json:"targets"`
	Total   int      `json:"total"`
	Changes []Change `json:"changes"`
}

func (c *Command) writes() bool {
	return c.Confirm != ""
}

// Call is one call of a command.
type Call struct {
	Context context.Context
	app     *app
	Command *Command
	values  map[string]*value
}

// Text returns the value of a Text parameter; empty when it was not passed.
func (c *Call) Text(name string) string {
	if found, ok := c.values[name]; ok && len(found.texts) > 0 {
		return found.texts[0]
	}
	return ""
}

// Number returns the value of a Number parameter; it was checked before.
func (c *Call) Number(name string) int {
	number, _ := strconv.Atoi(c.Text(name))
	return number
}

// Flag returns the value of a Flag parameter.
func (c *Call) Flag(name string) bool {
	set, _ := strconv.ParseBool(c.Text(name))
	return set
}

// List returns the values of a List parameter.
func (c *Call) List(name string) []string {
	if found, ok := c.values[name]; ok {
		return slices.Clone(found.texts)
	}
	return nil
}

// Given reports whether a parameter was passed.
func (c *Call) Given(name string) bool {
	found, ok := c.values[name]
	return ok && found.given
}

// Raw reports whether bytes are wanted as they are.
func (c *Call) Raw() bool {
	return c.app.printer.Format == output.Raw
}

// Printer prints lines of a stream and notes.
func (c *Call) Printer() *output.Printer {
	return c.app.printer
}

// Account requests the account of the credential from the API, once in a run.
func (c *Call) Account() (rest.Account, error) {
	return c.app.account(c.Context)
}
