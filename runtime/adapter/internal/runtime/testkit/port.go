package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
	"github.com/aoagents/agent-orchestrator/backend/internal/ports"
)

var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Described checks the manifest and the configuration that a person sees.
func Described(t *testing.T, adapter Adapter, id, name, field string) {
	t.Helper()
	manifest := adapter.Manifest()
	if manifest.ID != id || manifest.Name != name {
		t.Errorf("the manifest is of %q, %q; want %q, %q", manifest.ID, manifest.Name, id, name)
	}
	if manifest.Description == "" || !versionForm.MatchString(manifest.Version) {
		t.Errorf("the manifest needs a description and a version X.Y.Z: %+v", manifest)
	}
	if !reflect.DeepEqual(manifest.Capabilities, []adapters.Capability{adapters.CapabilityAgent}) {
		t.Errorf("the capabilities are %v", manifest.Capabilities)
	}
	spec, err := adapter.GetConfigSpec(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Fields) != 1 || spec.Fields[0].Key != field || spec.Fields[0].Description == "" {
		t.Errorf("the configuration is %+v; want the field %q with a description", spec.Fields, field)
	}
	if field == "model" && spec.Fields[0].Type != ports.ConfigFieldString || spec.Fields[0].Required {
		t.Errorf("the model must be an optional string: %+v", spec.Fields[0])
	}
}

// SessionInfoIsFromMetadata checks that nothing but the metadata says what a session is.
func SessionInfoIsFromMetadata(t *testing.T, adapter Adapter) {
	t.Helper()
	cases := []struct {
		metadata map[string]string
		want     ports.SessionInfo
		ok       bool
	}{
		{nil, ports.SessionInfo{}, false},
		{map[string]string{"other": "x"}, ports.SessionInfo{}, false},
		{map[string]string{"agentSessionId": "n-1"}, ports.SessionInfo{AgentSessionID: "n-1"}, true},
		{map[string]string{"title": "T"}, ports.SessionInfo{Title: "T"}, true},
		{map[string]string{"summary": "S"}, ports.SessionInfo{Summary: "S"}, true},
		{
			map[string]string{"agentSessionId": "n-1", "title": "T", "summary": "S"},
			ports.SessionInfo{AgentSessionID: "n-1", Title: "T", Summary: "S"},
			true,
		},
	}
	for _, c := range cases {
		session := ports.SessionRef{ID: "s-1", Metadata: c.metadata, WorkspacePath: t.TempDir()}
		got, ok, err := adapter.SessionInfo(context.Background(), session)
		if err != nil || ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("SessionInfo(%v) = %+v, %v, %v; want %+v, %v", c.metadata, got, ok, err, c.want, c.ok)
		}
	}
}

// CallsEndWithTheirContext checks that no method works for a caller that is gone.
func CallsEndWithTheirContext(t *testing.T, adapter Adapter, binary string) {
	t.Helper()
	Install(t, binary)
	ctx, workspacePath := cancelled(), t.TempDir()
	restorable := ports.SessionRef{ID: "s-1", Metadata: map[string]string{"agentSessionId": "n-1"}}
	calls := map[string]func() error{
		"GetConfigSpec": func() error { _, err := adapter.GetConfigSpec(ctx); return err },
		"GetLaunchCommand": func() error {
			_, err := adapter.GetLaunchCommand(ctx, ports.LaunchConfig{DataDir: t.TempDir()})
			return err
		},
		"GetPromptDeliveryStrategy": func() error {
			_, err := adapter.GetPromptDeliveryStrategy(ctx, ports.LaunchConfig{})
			return err
		},
		"GetAgentHooks": func() error {
			return adapter.GetAgentHooks(ctx, ports.WorkspaceHookConfig{WorkspacePath: workspacePath, DataDir: t.TempDir()})
		},
		"GetRestoreCommand": func() error {
			_, _, err := adapter.GetRestoreCommand(ctx, ports.RestoreConfig{Session: restorable})
			return err
		},
		"SessionInfo":       func() error { _, _, err := adapter.SessionInfo(ctx, restorable); return err },
		"UninstallHooks":    func() error { return adapter.UninstallHooks(ctx, workspacePath) },
		"AreHooksInstalled": func() error { _, err := adapter.AreHooksInstalled(ctx, workspacePath); return err },
		"ResolveBinary":     func() error { _, err := adapter.ResolveBinary(ctx); return err },
		"AuthStatus":        func() error { _, err := adapter.AuthStatus(ctx); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
	if files := filesIn(t, workspacePath); len(files) > 0 {
		t.Errorf("a cancelled call wrote %v", files)
	}
}

// BinaryIsFound checks the search for the program, and that a missing one is reported as such.
func BinaryIsFound(t *testing.T, create func() Adapter, binary string) {
	t.Helper()
	ctx := context.Background()
	path := Install(t, binary)
	adapter := create()
	for range 2 {
		if got, err := adapter.ResolveBinary(ctx); err != nil || got != path {
			t.Fatalf("ResolveBinary = %q, %v; want %q", got, err, path)
		}
	}
	restorable := ports.SessionRef{ID: "s-1", Metadata: map[string]string{"agentSessionId": "n-1"}}
	_, restores, err := adapter.GetRestoreCommand(ctx, ports.RestoreConfig{Session: restorable})
	if err != nil {
		t.Error(err)
	}
	other := Install(t, binary)
	if got, err := create().ResolveBinary(ctx); err != nil || got != other {
		t.Errorf("ResolveBinary = %q, %v; want %q", got, err, other)
	}
	foundInHome(t, create, binary)
	emptyMachine(t)
	adapter = create()
	calls := map[string]func() error{
		"ResolveBinary": func() error { _, err := adapter.ResolveBinary(ctx); return err },
		"AuthStatus":    func() error { _, err := adapter.AuthStatus(ctx); return err },
		"GetLaunchCommand": func() error {
			_, err := adapter.GetLaunchCommand(ctx, ports.LaunchConfig{DataDir: t.TempDir()})
			return err
		},
		"GetRestoreCommand": func() error {
			_, _, err := adapter.GetRestoreCommand(ctx, ports.RestoreConfig{Session: restorable})
			return err
		},
	}
	for name, call := range calls {
		if name == "GetRestoreCommand" && !restores {
			continue
		}
		if err := call(); !errors.Is(err, ports.ErrAgentBinaryNotFound) {
			t.Errorf("%s without the program: %v; want ports.ErrAgentBinaryNotFound", name, err)
		}
	}
}

// foundInHome checks that the program is found where installers of a single user put it. Programs with a window have a
// PATH without these directories.
func foundInHome(t *testing.T, create func() Adapter, binary string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	emptyMachine(t)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".local", "bin", binary)
	write(t, path, "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := create().ResolveBinary(context.Background()); err != nil || got != path {
		t.Errorf("ResolveBinary = %q, %v; want %q, which is not on PATH", got, err, path)
	}
}

// AuthIsReported checks that a variable that signs the agent in is noticed, and that nothing is claimed without one.
func AuthIsReported(t *testing.T, adapter Adapter, binary string, variables ...string) {
	t.Helper()
	Install(t, binary)
	for _, name := range variables {
		t.Setenv(name, "")
	}
	expect := func(want ports.AgentAuthStatus) {
		t.Helper()
		if got, err := adapter.AuthStatus(context.Background()); err != nil || got != want {
			t.Errorf("AuthStatus = %q, %v; want %q", got, err, want)
		}
	}
	expect(ports.AgentAuthStatusUnknown)
	for _, name := range variables {
		t.Setenv(name, "secret")
		expect(ports.AgentAuthStatusAuthorized)
		t.Setenv(name, " ")
		expect(ports.AgentAuthStatusUnknown)
	}
}

// SignalsMatch checks what the adapter says about its hooks.
func SignalsMatch(t *testing.T, adapter Adapter, submits bool) {
	t.Helper()
	if got := adapter.EmitsSubmitActivity(); got != submits {
		t.Errorf("EmitsSubmitActivity = %v; want %v", got, submits)
	}
	if adapter.EmitsBlockedActivity() {
		t.Error("EmitsBlockedActivity must be false with the standard activity states, which never clear `blocked`")
	}
}
