package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/binaryutil"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

func place(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestAnExecutableComesBeforeAShimAndAStubIsPassedOver(t *testing.T) {
	root := t.TempDir()
	stub := filepath.Join(root, "Microsoft", "WindowsApps")
	shims, programs := filepath.Join(root, "npm"), filepath.Join(root, "bin")
	place(t, filepath.Join(stub, "acme.exe"))
	place(t, filepath.Join(shims, "acme.cmd"))
	path := func(directories ...string) string {
		var list string
		for _, directory := range directories {
			list += directory + string(os.PathListSeparator)
		}
		return list
	}
	names := []string{"acme.exe", "acme.cmd"}
	if got, found := onPath(path(stub, shims), names); !found || got != filepath.Join(shims, "acme.cmd") {
		t.Errorf("%q, %v", got, found)
	}
	place(t, filepath.Join(programs, "acme.exe"))
	if got, found := onPath(path(stub, shims, programs), names); !found || got != filepath.Join(programs, "acme.exe") {
		t.Errorf("%q, %v", got, found)
	}
	if got, found := onPath(path(stub, "", "relative"), names); found {
		t.Errorf("%q was found", got)
	}
	for text, want := range map[string]bool{
		`C:\Users\x\AppData\Local\Microsoft\WindowsApps\acme.exe`: true, `C:/WindowsApps/acme.exe`: true,
		`C:\WindowsApps2\acme.exe`: false, `C:\bin\windowsapps`: false, ``: false,
	} {
		if got := isStoreStub(text); got != want {
			t.Errorf("isStoreStub(%q) = %v", text, got)
		}
	}
}

func TestAProgramThatMovesIsFoundAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the names differ there")
	}
	one, two := t.TempDir(), t.TempDir()
	place(t, filepath.Join(one, "acme"))
	t.Setenv("PATH", one+string(os.PathListSeparator)+two)
	t.Setenv("HOME", one)
	spec := binaryutil.BinarySpec{Label: "acme", Names: []string{"acme"}}
	var finder Finder
	expect := func(want string) {
		t.Helper()
		if got, err := finder.Resolve(context.Background(), spec); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	expect(filepath.Join(one, "acme"))
	place(t, filepath.Join(two, "acme"))
	expect(filepath.Join(one, "acme"))
	if err := os.Remove(filepath.Join(one, "acme")); err != nil {
		t.Fatal(err)
	}
	expect(filepath.Join(two, "acme"))
	if err := os.Remove(filepath.Join(two, "acme")); err != nil {
		t.Fatal(err)
	}
	if _, err := finder.Resolve(context.Background(), spec); !errors.Is(err, ports.ErrAgentBinaryNotFound) {
		t.Errorf("%v", err)
	}
}
