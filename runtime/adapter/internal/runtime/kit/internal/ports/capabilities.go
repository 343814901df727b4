package ports

import (
	"context"
	"time"

	"github.com/aoagents/agent-orchestrator/backend/internal/domain"
)

// AgentAuthStatus says whether the agent is signed in.
type AgentAuthStatus string

// The states of a sign-in.
const (
	AgentAuthStatusAuthorized   AgentAuthStatus = "authorized"
	AgentAuthStatusUnauthorized AgentAuthStatus = "unauthorized"
	AgentAuthStatusUnknown      AgentAuthStatus = "unknown"
)

// AgentAuthChecker is an agent that can tell whether it is signed in.
type AgentAuthChecker interface {
	AuthStatus(ctx context.Context) (AgentAuthStatus, error)
}

// AgentBinaryResolver is an agent whose program can be looked up without a session.
type AgentBinaryResolver interface {
	ResolveBinary(ctx context.Context) (path string, err error)
}

// AgentInterfaceHandoff is an agent whose sessions can move between terminal and chat.
type AgentInterfaceHandoff interface {
	NativeConversationID(
		ctx context.Context,
		session SessionRef,
		currentMode domain.SessionMode,
		providerConversationID string,
	) (id string, ok bool, err error)
}

// AgentInterfaceHandoffHistoryProbe is an agent that can tell whether a conversation exists.
type AgentInterfaceHandoffHistoryProbe interface {
	NativeConversationExists(
		ctx context.Context,
		session SessionRef,
		nativeConversationID string,
		env map[string]string,
	) (bool, error)
}

// AgentExitDetectionMode says how the end of an agent is noticed.
type AgentExitDetectionMode string

// AgentExitDetectionSupervisor is a process that watches the agent.
const AgentExitDetectionSupervisor AgentExitDetectionMode = "supervisor"

// AgentExitDetector is an agent without an event for its end.
type AgentExitDetector interface {
	ExitDetectionMode() AgentExitDetectionMode
}

// PromptReadinessHints say when an agent takes its first prompt.
type PromptReadinessHints struct {
	InitialDelay time.Duration
	Patterns     []string
	PollInterval time.Duration
	Timeout      time.Duration
	Lines        int
}

// AgentPromptReadinessProvider is an agent that is not ready for its prompt at once.
type AgentPromptReadinessProvider interface {
	PromptReadinessHints(ctx context.Context, cfg LaunchConfig) (PromptReadinessHints, error)
}

// TerminalActivityDetector is an agent whose activity is visible in its terminal.
type TerminalActivityDetector interface {
	DetectTerminalActivity(output string) (domain.ActivityState, bool)
}

// ContinuousTerminalActivityDetector is one whose terminal is watched all the time.
type ContinuousTerminalActivityDetector interface {
	TerminalActivityDetector
	ContinuouslyDetectTerminalActivity() bool
}

// AgentResolver finds the agent of a harness.
type AgentResolver interface {
	Agent(harness domain.AgentHarness) (Agent, bool)
}

// ActivitySignaler says which activity the hooks of an agent report.
type ActivitySignaler interface {
	EmitsSubmitActivity() bool
	EmitsBlockedActivity() bool
}

// ActiveTurnSteerer is an agent that takes input in the middle of a turn.
type ActiveTurnSteerer interface {
	SteersActiveTurn() bool
}
