package testkit

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// Guard is the guard of functional contract coverage. Every call of the program is recorded; when all tests have passed,
// each command and each flag must have occurred: each command with success, and a write in both steps. Calls that a test
// derives from the reference do not count, because they would also cover a command that has no test of its own.
type Guard struct {
	// Program is asked for its reference.
	Program string
	// Codes are exit and retryable of each code, written down by hand.
	Codes map[string]Code
	// Commands are the commands that must have occurred. Without them all of the reference must, with every global flag
	// and every code.
	Commands []string
}

type ledger struct {
	mutex sync.Mutex
	// calls are by their first words, for a large tool has thousands.
	calls map[string][]called
	count int
	codes map[string]bool
}

// called is one call and how it ended, with the members of its data.
type called struct {
	arguments []string
	exit      int
	members   []string
}

var exercised = ledger{calls: map[string][]called{}, codes: map[string]bool{}}

func record(arguments []string, ended *Result) {
	made := called{slices.Clone(arguments), ended.Exit, members(ended.Stdout)}
	first := strings.Join(arguments[:min(len(arguments), 1)], "")
	exercised.mutex.Lock()
	defer exercised.mutex.Unlock()
	exercised.calls[first] = append(exercised.calls[first], made)
	exercised.count++
	for line := range strings.Lines(ended.Stdout) {
		exercised.note(line)
	}
	exercised.note(ended.Stdout)
}

// members are the keys of the data of a success; a stream and a text have none.
func members(stdout string) []string {
	var document struct {
		// Type is that of a line of a stream: one without events is its summary alone.
		Type string         `json:"type"`
		Data map[string]any `json:"data"`
	}
	if json.Unmarshal([]byte(stdout), &document) != nil || document.Type != "" {
		return nil
	}
	return Keys(document.Data)
}

func (l *ledger) note(text string) {
	var document struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &document) == nil && document.Error.Code != "" {
		l.codes[document.Error.Code] = true
	}
}

// described is the reference, as far as the guard reads it.
type described struct {
	Data struct {
		Readiness struct {
			FCC string `json:"fcc_status"`
		} `json:"release_readiness"`
		GlobalFlags []describedParam   `json:"global_flags"`
		Commands    []describedCommand `json:"commands"`
		Schemas     map[string]struct {
			Fields []string `json:"fields"`
		} `json:"schemas"`
		Codes map[string]struct {
			Exit      int  `json:"exit"`
			Retryable bool `json:"retryable"`
		} `json:"error_codes"`
	} `json:"data"`
}

type describedCommand struct {
	Path    string           `json:"path"`
	Aliases []string         `json:"aliases"`
	Confirm string           `json:"confirm"`
	Params  []describedParam `json:"params"`
	Output  string           `json:"output_schema"`
	DryRun  string           `json:"dry_run_schema"`
}

type describedParam struct {
	Name string `json:"name"`
}

// check returns the exit code of the test run.
func (g Guard) check() int {
	reference, err := readReference(g.Program)
	if err != nil || len(reference.Data.Commands) < 7 {
		fmt.Fprintf(os.Stderr, "guard: the reference cannot be read or is implausibly small: %v\n", err)
		return 1
	}
	if reference.Data.Readiness.FCC != "verified" {
		fmt.Println("guard: not in force, because reference does not claim fcc_status verified")
		return 0
	}
	missing := append(g.unlike(reference), g.missing(reference)...)
	for _, gap := range missing {
		fmt.Fprintln(os.Stderr, "guard:", gap)
	}
	if len(missing) > 0 {
		return 1
	}
	fmt.Printf("guard: every command and flag was exercised in %d calls\n", exercised.count)
	return 0
}

func readReference(program string) (described, error) {
	command := exec.CommandContext(context.Background(), program, "reference")
	command.Env = append(os.Environ(), runVariable+"=yes")
	text, err := command.Output()
	if err != nil {
		return described{}, err
	}
	var reference described
	return reference, json.Unmarshal(text, &reference)
}

// unlike compares the codes of the reference with those that were written down.
func (g Guard) unlike(reference described) []string {
	var gaps []string
	for _, code := range slices.Sorted(maps.Keys(reference.Data.Codes)) {
		found := reference.Data.Codes[code]
		if wanted, known := g.Codes[code]; !known || wanted != (Code{found.Exit, found.Retryable}) {
			gaps = append(gaps, fmt.Sprintf("%s is %+v, and the table of the tests has %+v", code, found, wanted))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(g.Codes)) {
		if _, known := reference.Data.Codes[code]; !known {
			gaps = append(gaps, code+" is in the table of the tests and in no contract")
		}
	}
	return gaps
}

func (g Guard) missing(reference described) []string {
	var gaps []string
	globals := map[string]bool{}
	for _, command := range reference.Data.Commands {
		flags, succeeded := exercised.flagsOf(command.Path)
		// A call by a former name is a call of the command.
		for _, alias := range command.Aliases {
			more, moreSucceeded := exercised.flagsOf(alias)
			maps.Copy(flags, more)
			for name, done := range moreSucceeded {
				succeeded[name] = succeeded[name] || done
			}
		}
		maps.Copy(globals, flags)
		if g.Commands == nil || slices.Contains(g.Commands, command.Path) {
			gaps = append(gaps, command.gaps(flags, succeeded)...)
			declared := slices.Concat(reference.Data.Schemas[command.Output].Fields, reference.Data.Schemas[command.DryRun].Fields)
			gaps = append(gaps, exercised.undeclared(command.Path, declared)...)
		}
	}
	if g.Commands != nil {
		return gaps
	}
	for _, param := range reference.Data.GlobalFlags {
		if !globals[param.Name] {
			gaps = append(gaps, "no test passes --"+param.Name)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(reference.Data.Codes)) {
		if !exercised.codes[code] {
			gaps = append(gaps, "no test meets "+code)
		}
	}
	return gaps
}

// gaps are what no test has done with a command. A step for a person may never succeed in a test; then its refusal counts.
func (c describedCommand) gaps(flags, succeeded map[string]bool) []string {
	var gaps []string
	if !succeeded[""] {
		gaps = append(gaps, "no test calls `"+c.Path+"` with success")
	}
	if c.Confirm != "" && c.Confirm != "exempt" && !succeeded["dry-run"] {
		gaps = append(gaps, "no test previews `"+c.Path+"` with success")
	}
	for _, param := range c.Params {
		// Whether a step for a person can be finished is not up to a test, so --confirm may fail.
		if !flags[param.Name] {
			gaps = append(gaps, "no test passes --"+param.Name+" to `"+c.Path+"`")
		}
	}
	return gaps
}

// flagsOf returns the flags that were passed to a command, and those of calls that succeeded; "" is any call.
func (l *ledger) flagsOf(path string) (flags, succeeded map[string]bool) {
	flags, succeeded = map[string]bool{}, map[string]bool{}
	for call := range l.callsOf(path) {
		passed := []string{""}
		for _, argument := range call.arguments {
			if name, isFlag := strings.CutPrefix(argument, "--"); isFlag {
				name, _, _ = strings.Cut(name, "=")
				passed = append(passed, name)
			}
		}
		for _, name := range passed {
			flags[name] = true
			succeeded[name] = succeeded[name] || call.exit == 0
		}
	}
	return flags, succeeded
}

// undeclared are members of answers of a command that no schema of it has.
func (l *ledger) undeclared(path string, declared []string) []string {
	var gaps []string
	for call := range l.callsOf(path) {
		for _, member := range call.members {
			gap := "`" + path + "` answers with " + member + ", which its schema does not declare"
			// _untrusted is declared by the contract.
			if member != "_untrusted" && !slices.Contains(declared, member) && !slices.Contains(gaps, gap) {
				gaps = append(gaps, gap)
			}
		}
	}
	return gaps
}

func (l *ledger) callsOf(path string) iter.Seq[called] {
	words := strings.Fields(path)
	return func(yield func(called) bool) {
		for _, call := range l.calls[words[0]] {
			if len(call.arguments) >= len(words) && slices.Equal(call.arguments[:len(words)], words) && !yield(call) {
				return
			}
		}
	}
}
