// Package process runs other programs: without a terminal, within a time limit, and with bounded output. It kills
// every process that they leave running.
package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	tailSize = 4096
	grace    = 5 * time.Second
)

// Command is one program to run. Its words reach it as they are; no shell is involved.
type Command struct {
	Program   string
	Arguments []string
	Directory string
	// Environment replaces that of this program when it is not nil.
	Environment []string
	Limit       time.Duration
}

// Ending says how a program ended.
type Ending struct {
	// Exit is its exit code; -1 when it was ended by a signal or did not end by itself.
	Exit        int
	TimedOut    bool
	Interrupted bool
	// Tail is the last that it said on both streams, without colours.
	Tail string
}

// Run runs a program to its end. It fails when the program cannot be started.
func Run(ctx context.Context, command Command) (Ending, error) {
	if ctx.Err() != nil {
		return Ending{Exit: -1, Interrupted: true}, nil
	}
	limited, cancel := context.WithTimeout(ctx, command.Limit)
	defer cancel()
	child := exec.Command(command.Program, command.Arguments...)
	child.Dir = command.Directory
	child.Env = command.Environment
	var said tail
	child.Stdout, child.Stderr = &said, &said
	// A grandchild that keeps the pipe open must not keep us.
	child.WaitDelay = time.Second
	tree, err := start(child)
	if err != nil {
		return Ending{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	var ending Ending
	select {
	case err = <-ended:
	case <-limited.Done():
		ending.Interrupted = ctx.Err() != nil
		ending.TimedOut = !ending.Interrupted
		tree.ask()
		select {
		case err = <-ended:
		case <-time.After(grace):
			tree.end()
			err = <-ended
		}
	}
	// Whatever the program started and left behind ends with it.
	tree.end()
	ending.Exit = exitCode(child, err)
	ending.Tail = said.text()
	return ending, nil
}

func exitCode(child *exec.Cmd, err error) int {
	if child.ProcessState == nil || err != nil && !isExit(err) && !errors.Is(err, exec.ErrWaitDelay) {
		return -1
	}
	return child.ProcessState.ExitCode()
}

func isExit(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mutex sync.Mutex
	kept  []byte
}

func (t *tail) Write(said []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.kept = append(t.kept, said...)
	if len(t.kept) > 2*tailSize {
		t.kept = append([]byte(nil), t.kept[len(t.kept)-tailSize:]...)
	}
	return len(said), nil
}

var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

func (t *tail) text() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	kept := t.kept
	if len(kept) > tailSize {
		kept = kept[len(kept)-tailSize:]
	}
	text := strings.ToValidUTF8(string(kept), "")
	return strings.TrimSpace(colours.ReplaceAllString(text, ""))
}

// Find returns the absolute path of a program on PATH; empty when there is none.
func Find(name string) string {
	// LookPath refuses programs in the current directory.
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// Environment is that of this program, without some variables and with others set. Names are compared as the
// system compares them.
func Environment(without []string, with map[string]string) []string {
	var environment []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if _, replaced := with[name]; !replaced && !containsFold(without, name) {
			environment = append(environment, pair)
		}
	}
	for name, value := range with {
		environment = append(environment, name+"="+value)
	}
	return environment
}

func containsFold(names []string, name string) bool {
	for _, other := range names {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}
