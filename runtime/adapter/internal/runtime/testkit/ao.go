// Package testkit tests an adapter from outside: its command lines, its hooks and whether their reports arrive. It has
// a stand-in for the program `ao` and for the daemon of the orchestrator, so that no test needs either.
package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/activitystate"
)

// How a test makes the stand-in misbehave.
const (
	noisyVariable   = "AO_TEST_NOISE"
	failingVariable = "AO_TEST_FAILURE"
)

// Main runs the tests, or the stand-in for `ao` when the test program was started by that name. Call it in TestMain.
func Main(m *testing.M) {
	StandIn()
	os.Exit(m.Run())
}

// StandIn ends the program as `ao` does when it was started by that name.
func StandIn() {
	if name := filepath.Base(os.Args[0]); strings.TrimSuffix(name, ".exe") == "ao" {
		os.Exit(ao(os.Args[1:], os.Stdin))
	}
}

var sessionForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ao does what `ao hooks AGENT EVENT` does: it reads the event from its input, posts it to the daemon, and succeeds
// whether that works or not. Anything but two arguments is an error.
func ao(args []string, input io.Reader) int {
	if os.Getenv(noisyVariable) != "" {
		fmt.Println("noise on stdout")
		fmt.Fprintln(os.Stderr, "noise on stderr")
	}
	if len(args) != 3 || args[0] != "hooks" {
		fmt.Fprintln(os.Stderr, "usage: ao hooks AGENT EVENT")
		return 1
	}
	session := os.Getenv("AO_SESSION_ID")
	if !sessionForm.MatchString(session) {
		return 0
	}
	payload, err := io.ReadAll(io.LimitReader(input, 1<<20))
	if err == nil {
		err = post(session, args[2], payload)
	}
	if err != nil {
		logged(err)
	}
	if os.Getenv(failingVariable) != "" {
		return 3
	}
	return 0
}

type report struct {
	State          string `json:"state,omitempty"`
	Event          string `json:"event,omitempty"`
	AgentSessionID string `json:"agentSessionId,omitempty"`
}

func post(session, event string, payload []byte) error {
	var native struct {
		SessionID string `json:"session_id"`
	}
	if len(bytes.TrimSpace(payload)) > 0 {
		if err := json.Unmarshal(payload, &native); err != nil {
			return fmt.Errorf("read the event: %w", err)
		}
	}
	state, active := activitystate.StandardDeriveActivityState(event, payload)
	if !active && native.SessionID == "" {
		return nil
	}
	var daemon struct {
		Port int `json:"port"`
	}
	running, err := os.ReadFile(os.Getenv("AO_RUN_FILE"))
	if err == nil {
		err = json.Unmarshal(running, &daemon)
	}
	if err != nil {
		return fmt.Errorf("find the daemon: %w", err)
	}
	body, err := json.Marshal(report{State: string(state), Event: event, AgentSessionID: native.SessionID})
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/api/v1/sessions/%s/activity", daemon.Port, session)
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the daemon answered %s", response.Status)
	}
	return nil
}

// logged appends a failure to the log of the orchestrator, where a person finds it; the agent must not see it.
func logged(failure error) {
	directory := os.Getenv("AO_DATA_DIR")
	if directory == "" {
		return
	}
	file, err := os.OpenFile(filepath.Join(directory, "hooks.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	_, _ = fmt.Fprintln(file, failure)
}
