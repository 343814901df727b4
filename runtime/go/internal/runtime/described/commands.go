package described

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
)

const maxShown = 2_000

// table makes the commands of a Table.
type table struct{ *Table }

// Commands are those of a table, for a tool.
func Commands(of *Table) cli.Table {
	return table{of}
}

// Groups implements cli.Table.
func (t table) Groups() map[string]string {
	return t.Table.Groups
}

// Group implements cli.Table.
func (t table) Group(name string) ([]*cli.Command, []cli.Schema) {
	var commands []*cli.Command
	var shapes []cli.Schema
	for _, operation := range t.Operations(name) {
		commands = append(commands, command(t.Table, operation))
		shapes = append(shapes, schemas(operation, schemaName(operation))...)
	}
	return commands, shapes
}

func schemaName(operation *Operation) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(operation.Command)
}

func command(table *Table, operation *Operation) *cli.Command {
	made := &cli.Command{Detail: operation.Request, Output: schemaName(operation)}
	made.Path, made.Summary = operation.Command, operation.Summary
	for _, input := range operation.Inputs {
		made.Params = append(made.Params, param(input))
	}
	if operation.List != nil {
		made.Params = append(made.Params, pageParams(operation.List)...)
	}
	words := []string{operation.Command}
	for _, word := range operation.Example {
		words = append(words, quoted(word))
	}
	example := strings.Join(words, " ")
	if !operation.Writes {
		made.Examples = []string{example}
		made.Run = func(call *cli.Call) (any, error) {
			passed, err := inputs(call, operation.Inputs)
			if err != nil {
				return nil, err
			}
			return ask(operation, call, passed)
		}
		return made
	}
	if operation.Dangerous {
		example += " --dangerous"
	}
	made.Examples = []string{example + " --dry-run", example + " --confirm ct_TOKEN"}
	made.Confirm, made.Dangerous = cli.Always, operation.Dangerous
	made.Plan = func(call *cli.Call) (*cli.Plan, error) { return plan(table, operation, call) }
	return made
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	isPlain := func(symbol rune) bool {
		return !strings.ContainsRune("-_./:=,@", symbol) && (symbol < '0' || symbol > 'z' || symbol > '9' && symbol < 'A')
	}
	if word != "" && strings.IndexFunc(word, isPlain) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

func ask(operation *Operation, call *cli.Call, passed []given) (any, error) {
	client, err := cli.ClientOf[Caller](call)
	if err != nil {
		return nil, err
	}
	if operation.List != nil {
		return page(call, client, operation, passed)
	}
	wanted, err := request(operation, passed, nil)
	if err != nil {
		return nil, err
	}
	document, _, err := client.Reply(call.Context, wanted)
	if err != nil {
		return nil, err
	}
	return single(operation, document), nil
}

// preview is that of a write: the request, and what it changes.
type preview struct {
	Request string       `json:"request"`
	Changes []cli.Change `json:"changes"`
}

func plan(table *Table, operation *Operation, call *cli.Call) (*cli.Plan, error) {
	passed, err := inputs(call, operation.Inputs)
	if err != nil {
		return nil, err
	}
	// A value that cannot be sent is refused before a token is issued.
	if _, err := request(operation, passed, nil); err != nil {
		return nil, err
	}
	var account rest.Account
	if !operation.Public {
		if account, err = call.Account(); err != nil {
			return nil, err
		}
	}
	before, err := before(table, operation, call, passed)
	if err != nil {
		return nil, err
	}
	after, targets, sent := output.Object{}, []string{}, sha256.New()
	for _, input := range passed {
		text := []rune(call.Text(input.Flag))
		after = append(after, output.Member{Key: input.Option, Value: string(text[:min(len(text), maxShown)])})
		if input.Place == "path" {
			targets = append(targets, string(text))
		}
		_, _ = fmt.Fprintf(sent, "%q=%q\n", input.Flag, wireText(input.value))
	}
	resource, action, _ := strings.Cut(operation.ID, ".")
	change := cli.Change{Action: action, Resource: resource, Before: before, After: normal(after, 0)}
	if len(targets) > 0 {
		change.ID = strings.Join(targets, "/")
	}
	return &cli.Plan{
		Preview: preview{Request: operation.Request, Changes: []cli.Change{change}},
		Payload: fmt.Sprintf("%x", sent.Sum(nil)),
		Account: account,
		Lossy:   operation.Dangerous,
		Apply:   func(_ context.Context, _ string) (any, error) { return ask(operation, call, passed) },
	}, nil
}

// before is what the write is about, where the API shows it.
func before(table *Table, operation *Operation, call *cli.Call, passed []given) (any, error) {
	read := table.operation(operation.Reads)
	if read == nil {
		return nil, nil
	}
	wanted := []given{}
	for _, input := range read.Inputs {
		for _, own := range passed {
			if input.Place == "path" && own.Place == "path" && own.Name == input.Name {
				wanted = append(wanted, given{input, own.value})
			}
		}
	}
	found, err := ask(read, call, wanted)
	var failed *fault.Error
	if errors.As(err, &failed) && failed.Code == fault.Forbidden {
		return nil, nil
	}
	return found, err
}
