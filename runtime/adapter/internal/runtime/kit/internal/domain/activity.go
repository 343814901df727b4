// Package domain has the values that adapters and the orchestrator share.
package domain

import "time"

// ActivityState says what an agent is doing.
type ActivityState string

// The activity states.
const (
	ActivityActive       ActivityState = "active"
	ActivityIdle         ActivityState = "idle"
	ActivityWaitingInput ActivityState = "waiting_input"
	ActivityBlocked      ActivityState = "blocked"
	ActivityExited       ActivityState = "exited"
)

// IsSticky reports whether the state stays until a signal clears it.
func (a ActivityState) IsSticky() bool {
	return a.NeedsInput()
}

// NeedsInput reports whether a person has to act.
func (a ActivityState) NeedsInput() bool {
	return a == ActivityWaitingInput || a == ActivityBlocked
}

// Activity is a state and the time of the last sign of it.
type Activity struct {
	State          ActivityState `json:"state"`
	LastActivityAt time.Time     `json:"lastActivityAt"`
}
