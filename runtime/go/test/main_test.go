// Package test proves the runtime: it runs the program of the example, as an agent does, against the mock of its API and
// against a host of releases with a Sigstore of its own. Nothing here reaches the network.
package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/testkit"
)

// Programs that the tests run.
var (
	// program is what the tests run: the tool with the hooks that shorten waits and inject a trust root.
	program string
	// released is the tool as it is released.
	released string
	// newer is the tool as the release that updates install.
	newer string
)

// newerVersion is the version of the program in the releases of the tests.
const newerVersion = "90.1.0"

func TestMain(m *testing.M) {
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	directory, err := os.MkdirTemp("", "command-tests-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(directory) }()
	program = build(directory, "program", "-tags", "testhooks", "-ldflags", "-s -w")
	released = build(directory, "released", "-ldflags", "-s -w")
	newer = build(directory, "newer", "-ldflags", "-s -w -X "+about.Module+"/internal/runtime/self.version="+newerVersion)
	if program == "" || released == "" || newer == "" {
		return 1
	}
	return testkit.RunAll(m, testkit.Guard{Program: program, Codes: independentCodes})
}

func build(directory, name string, options ...string) string {
	path := filepath.Join(directory, name, about.Tool)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	arguments := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path}, options...)
	command := exec.Command("go", append(arguments, "../cmd/"+about.Tool)...)
	if output, err := command.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the program cannot be built: %v\n%s", err, output)
		return ""
	}
	return path
}
