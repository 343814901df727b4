// Package testkit runs a tool as an agent does: the real program, in a home of its own, against the mock of its API, with
// answers that are held against the contract. A test of a command is a line or two:
//
//	tool := testkit.New(t, mock.New(), mock.TokenAlice)
//	tool.Run("item", "get", "--id", "7").Has("id", "7")
//	tool.Confirm("item", "update", "--id", "7", "--title", "New").Has("title", "New")
//	tool.Run("item", "get", "--id", "0").Fails("E_VALIDATION")
//
// When all tests of the package have passed, Main asks whether each command of the tool was called.
package testkit

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/self"
)

// Limit is how long one call may take before its test fails; no call waits for a person.
const Limit = 60 * time.Second

// parallel is how many tests run at once. Most of them wait for another process, not for a processor.
const parallel = "16"

// runVariable makes a test program run as the tool.
const runVariable = "TESTKIT_RUN_AS_TOOL"

// Code is what the contract says about an error code.
type Code struct {
	Exit      int
	Retryable bool
}

// codes are the codes that Fails compares with; Main sets them.
var codes map[string]Code

// Main runs the tests of a package and returns the exit code; TestMain of the package calls it. The test program is also
// the tool that the tests call, so nothing has to be built first. The codes are written down by hand, from the text of
// the contract: a table that is compared with itself proves nothing.
func Main(m *testing.M, tool *cli.Tool, table map[string]Code) int {
	if os.Getenv(runVariable) != "" {
		return tool.Main(os.Args[1:], os.Stdout, os.Stderr)
	}
	own := []string{}
	for _, command := range tool.OwnCommands() {
		own = append(own, command.Path)
	}
	return RunAll(m, Guard{Program: itself(), Codes: table, Commands: own})
}

// RunAll runs the tests of a package and then the guard, when all tests ran and passed. It returns the exit code.
func RunAll(m *testing.M, guard Guard) int {
	codes = guard.Codes
	flag.Parse()
	if err := flag.Set("test.parallel", parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if code := m.Run(); code != 0 || !isWholeRun() {
		return code
	}
	return guard.check()
}

// isWholeRun reports whether all tests ran: only then can the guard require every command.
func isWholeRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if found := flag.Lookup(name); found != nil && found.Value.String() != "" {
			return false
		}
	}
	return true
}

func itself() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// Tool is the program with a home, an environment and an API of its own.
type Tool[API http.Handler] struct {
	T *testing.T
	// Program is what Run starts: the test program itself, or one that the tests built.
	Program string
	// Home is the home directory of the user.
	Home string
	// API is the mock, with what it was asked so far.
	API API
	// Server serves the mock.
	Server *httptest.Server
	// Env is the whole environment of the program.
	Env map[string]string
	// Derived calls come from the reference itself; the guard does not count them.
	Derived bool
	// keys are the variables of the credential.
	keys map[string]string
}

// New makes a sandbox in which the tool has the token of an account.
func New[API http.Handler](t *testing.T, api API, token string) *Tool[API] {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	home := t.TempDir()
	tool := &Tool[API]{T: t, Program: itself(), Home: home, API: api, Server: server, Env: map[string]string{
		"HOME":        home,
		"USERPROFILE": home,
		"PATH":        os.Getenv("PATH"),
		"SYSTEMROOT":  os.Getenv("SYSTEMROOT"),
		"TMPDIR":      t.TempDir(),
		runVariable:   "yes",
	}}
	return tool.With(config.EnvBaseURL, server.URL, config.EnvKeyring, "off", config.EnvTimeout, "5").As(token)
}

// With sets environment variables of the tool, whose names are written without its prefix; an empty value removes one.
func (tool *Tool[API]) With(pairs ...string) *Tool[API] {
	tool.T.Helper()
	for index := 0; index < len(pairs); index += 2 {
		tool.setenv(self.Env(pairs[index]), pairs[index+1])
	}
	return tool
}

// WithSystem sets other environment variables.
func (tool *Tool[API]) WithSystem(pairs ...string) *Tool[API] {
	tool.T.Helper()
	for index := 0; index < len(pairs); index += 2 {
		tool.setenv(pairs[index], pairs[index+1])
	}
	return tool
}

func (tool *Tool[API]) setenv(name, value string) {
	if value == "" {
		delete(tool.Env, name)
	} else {
		tool.Env[name] = value
	}
}

// As changes the account; with an empty token there is no credential.
func (tool *Tool[API]) As(token string) *Tool[API] {
	tool.T.Helper()
	for name := range tool.keys {
		tool.With(name, "")
	}
	tool.keys = credentials.Keys(token)
	for name, key := range tool.keys {
		tool.With(name, key)
	}
	return tool
}

// State is a path in the directory of state.
func (tool *Tool[API]) State(name string) string {
	return filepath.Join(tool.Home, "."+about.Tool, name)
}

// Command is the call of the program, to be started by the test.
func (tool *Tool[API]) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, tool.Program, arguments...)
	command.Dir = tool.Home
	for name, value := range tool.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	return command
}

// Run calls the program without a terminal and without input, and holds its answer against the contract.
func (tool *Tool[API]) Run(arguments ...string) *Result {
	tool.T.Helper()
	return tool.run(nil, func() bool { return true }, arguments)
}

// Interrupt starts a call and sends it a signal as soon as ready returns true.
func (tool *Tool[API]) Interrupt(signal os.Signal, ready func() bool, arguments ...string) *Result {
	tool.T.Helper()
	return tool.run(signal, ready, arguments)
}

func (tool *Tool[API]) run(signal os.Signal, ready func() bool, arguments []string) *Result {
	tool.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	command := tool.Command(ctx, arguments...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Start(); err != nil {
		tool.T.Fatalf("%v: %v", arguments, err)
	}
	if signal != nil {
		for !ready() && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		_ = command.Process.Signal(signal)
	}
	_ = command.Wait()
	if ctx.Err() != nil {
		tool.T.Fatalf("%v did not end in time", arguments)
	}
	ended := &Result{
		T: tool.T, Call: strings.Join(arguments, " "), Stdout: stdout.String(), Stderr: stderr.String(),
		Exit: command.ProcessState.ExitCode(),
	}
	if !tool.Derived {
		record(arguments, ended)
	}
	return ended
}

// Token makes the dry run of a write and returns its confirm token.
func (tool *Tool[API]) Token(arguments ...string) string {
	tool.T.Helper()
	token, _ := tool.Run(append(arguments, "--dry-run")...).OK()["confirm_token"].(string)
	if !strings.HasPrefix(token, "ct_") {
		tool.T.Fatalf("%v: the dry run gave no token", arguments)
	}
	return token
}

// Confirm makes the dry run and then the write; a dangerous write has --dangerous among its arguments.
func (tool *Tool[API]) Confirm(arguments ...string) *Result {
	tool.T.Helper()
	return tool.Run(append(arguments, "--confirm", tool.Token(arguments...))...)
}
