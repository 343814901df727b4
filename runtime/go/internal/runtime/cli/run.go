package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/notice"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/self"
)

// unwind is how long a command may take to end after a signal before the answer is given without it.
const unwind = 15 * time.Second

// secretVariables are variables of other tools whose values are never printed.
var secretVariables = []string{"GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN"}

// Main runs the program and returns its exit code. Everything it needs besides the arguments comes from the environment.
func (t *Tool) Main(arguments []string, stdout, stderr io.Writer) int {
	started := time.Now()
	if len(arguments) == 1 && arguments[0] == "--version" {
		_, _ = fmt.Fprintln(stdout, about.Tool, self.Version())
		return 0
	}
	redactor := &redact.Redactor{}
	for _, name := range secretVariables {
		redactor.Add(os.Getenv(name))
	}
	for _, name := range slices.Concat(t.Keys, []string{"TOKEN", "REFRESH_TOKEN"}) {
		redactor.Add(self.Getenv(name))
	}
	format, compact, quiet := scan(arguments)
	printer := &output.Printer{
		Out: stdout, Err: stderr, Format: format, Compact: compact, Quiet: quiet, Redactor: redactor, Started: started,
	}
	ctx, stop := signalled(printer)
	defer stop()
	failed := run(ctx, &app{tool: t, printer: printer, redactor: redactor}, arguments)
	if failed == nil {
		return 0
	}
	printer.Failure(failed)
	return failed.Exit()
}

// signalled returns a context that ends with a signal. Whatever a command does then, the answer is given in time.
func signalled(printer *output.Printer) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	// A closed pipe must not end the program in the middle of something: writing to it fails instead.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case received := <-signals:
				if received == syscall.SIGPIPE {
					continue
				}
				cancel()
				time.AfterFunc(unwind, func() {
					failed := fault.Cancelled()
					printer.Failure(failed)
					os.Exit(failed.Exit())
				})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// run parses and carries out one call.
func run(ctx context.Context, app *app, arguments []string) (failed *fault.Error) {
	defer app.close()
	defer func() {
		if cause := recover(); cause != nil {
			failed = fault.New(fault.Unknown, "the program failed unexpectedly: %v", cause).
				WithFix("Report this as a bug, with the command")
		}
	}()
	root := tree(app, arguments, func(call *Call, err error) {
		if !call.Command.writes() {
			return
		}
		var ended *fault.Error
		if err != nil {
			ended = ending(ctx, err)
		}
		call.log(app.printer.Started, ended)
	})
	root.SetArgs(arguments)
	root.SetOut(app.printer.Out)
	root.SetErr(app.printer.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		return ending(ctx, err)
	}
	return nil
}

// ending is the fault of a run: after a signal it is the signal, whatever it broke.
func ending(ctx context.Context, err error) *fault.Error {
	failed := fault.From(err)
	if ctx.Err() == nil || failed.Code == fault.Interrupted {
		return failed
	}
	var network *fault.Error
	if errors.As(err, &network) && (network.Retryable() || network.Code == fault.Unknown) {
		return fault.Cancelled()
	}
	return failed
}

// notices are read from the cache; a run never looks for any.
func (a *app) notices() []any {
	found := notice.Current(a.config.Home, self.Version(), time.Now())
	if found == nil {
		return nil
	}
	return []any{found}
}
