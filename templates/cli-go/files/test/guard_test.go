package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// The guard of functional contract coverage. Every call of the program is written down; when all tests have passed,
// each command, each flag and each code that the live reference lists must have occurred: each command with success,
// and a write in both steps. Calls that a test derives from the reference itself do not count, for they would cover
// a command that nobody has thought about.

type ledger struct {
	mutex sync.Mutex
	calls []called
	codes map[string]bool
}

// called is one call and how it ended.
type called struct {
	arguments []string
	exit      int
}

var exercised = ledger{codes: map[string]bool{}}

func record(arguments []string, ended *result) {
	exercised.mutex.Lock()
	defer exercised.mutex.Unlock()
	exercised.calls = append(exercised.calls, called{slices.Clone(arguments), ended.exit})
	for line := range strings.Lines(ended.stdout) {
		exercised.note(line)
	}
	exercised.note(ended.stdout)
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

type described struct {
	Data struct {
		Readiness struct {
			FCC string `json:"fcc_status"`
		} `json:"release_readiness"`
		GlobalFlags []describedParam `json:"global_flags"`
		Commands    []struct {
			Path    string           `json:"path"`
			Confirm string           `json:"confirm"`
			Params  []describedParam `json:"params"`
		} `json:"commands"`
		Codes map[string]any `json:"error_codes"`
	} `json:"data"`
}

type describedParam struct {
	Name string `json:"name"`
}

// guard gives the exit code of the test run.
func guard() int {
	text, err := exec.Command(program, "reference").Output()
	var reference described
	if err == nil {
		err = json.Unmarshal(text, &reference)
	}
	if err != nil || len(reference.Data.Commands) < 10 {
		fmt.Fprintf(os.Stderr, "guard: the reference cannot be read or is implausibly small: %v\n", err)
		return 1
	}
	if reference.Data.Readiness.FCC != "verified" {
		fmt.Println("guard: at rest, because reference does not claim fcc_status verified")
		return 0
	}
	missing := missing(reference)
	for _, gap := range missing {
		fmt.Fprintln(os.Stderr, "guard: no command-level test has", gap)
	}
	if len(missing) > 0 {
		return 1
	}
	fmt.Printf("guard: %d commands and %d codes exercised in %d calls\n",
		len(reference.Data.Commands), len(reference.Data.Codes), len(exercised.calls))
	return 0
}

func missing(reference described) []string {
	var gaps []string
	globals := map[string]bool{}
	for _, command := range reference.Data.Commands {
		flags, succeeded := exercised.flagsOf(command.Path)
		if !succeeded[""] {
			gaps = append(gaps, "called `"+command.Path+"` with success")
		}
		if command.Confirm != "" && command.Confirm != "exempt" && !succeeded["dry-run"] {
			gaps = append(gaps, "previewed `"+command.Path+"` with success")
		}
		for _, param := range command.Params {
			// Whether a step for a person can be finished is not up to a test, so --confirm may fail.
			if !flags[param.Name] {
				gaps = append(gaps, "passed --"+param.Name+" to `"+command.Path+"`")
			}
		}
		maps.Copy(globals, flags)
	}
	for _, param := range reference.Data.GlobalFlags {
		if !globals[param.Name] {
			gaps = append(gaps, "passed --"+param.Name)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(reference.Data.Codes)) {
		if !exercised.codes[code] {
			gaps = append(gaps, "met "+code)
		}
	}
	return gaps
}

// flagsOf gives the flags that were passed to a command, and those of calls that succeeded; "" stands for any call.
func (l *ledger) flagsOf(path string) (flags, succeeded map[string]bool) {
	flags, succeeded = map[string]bool{}, map[string]bool{}
	words := strings.Fields(path)
	for _, call := range l.calls {
		if len(call.arguments) < len(words) || !slices.Equal(call.arguments[:len(words)], words) {
			continue
		}
		passed := []string{""}
		for _, argument := range call.arguments[len(words):] {
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
