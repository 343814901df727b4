package acme

import (
	"slices"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/contract"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func create() testkit.Adapter { return New() }

// The expected values are written here a second time, so that the adapter cannot change by accident.
const (
	wantID = "acme"

	wantName = "Acme"

	wantBinary = "acme"
)

func TestTheAdapterIsDescribed(t *testing.T) {
	testkit.Described(t, New(), wantID, wantName, "model")
}

func TestSessionInfoComesFromMetadataAlone(t *testing.T) {
	testkit.SessionInfoIsFromMetadata(t, New())
}

func TestCallsEndWithTheirContext(t *testing.T) {
	testkit.CallsEndWithTheirContext(t, New(), wantBinary)
}

func TestTheProgramIsFound(t *testing.T) {
	testkit.BinaryIsFound(t, create, wantBinary)
	want := []string{"acme.exe", "acme.cmd"}
	if !slices.Equal(binary.WinNames, want) {
		t.Errorf("on Windows the program is %q; want %q", binary.WinNames, want)
	}
	// In every directory, the program is found before its shim.
	for index, place := range binary.WinPaths {
		if name := place.Parts[len(place.Parts)-1]; name != want[index/2] {
			t.Errorf("on Windows place %d has %q; want %q", index, name, want[index/2])
		}
	}
}

func TestTheSignInIsReported(t *testing.T) {
	testkit.AuthIsReported(t, New(), wantBinary, "ACME_API_KEY")
}

func TestTheSignalsAreThoseOfTheHooks(t *testing.T) {
	testkit.SignalsMatch(t, New(), true)
}

func TestTheEventsAreThoseOfTheContract(t *testing.T) {
	for _, event := range events {
		if !slices.Contains(contract.HookEvents, event.Name) {
			t.Errorf("the contract has no event %q", event.Name)
		}
	}
}
