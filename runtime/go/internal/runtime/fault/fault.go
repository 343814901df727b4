// Package fault has the one error type whose code, exit and retryable leave the program.
//
// A fault says what failed and why in its message, and how to fix it in Fix. Packages that know nothing of codes
// return plain errors; From turns those into E_UNKNOWN, which is a last resort.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"aos.invalid/tool/internal/contract"
)

// Codes of the contract. A tool declares its own in contract/contract-ext.json.
const (
	Integrity            = "E_INTEGRITY"
	IO                   = "E_IO"
	Unknown              = "E_UNKNOWN"
	Usage                = "E_USAGE"
	Validation           = "E_VALIDATION"
	NotFound             = "E_NOT_FOUND"
	Auth                 = "E_AUTH"
	Config               = "E_CONFIG"
	Forbidden            = "E_FORBIDDEN"
	ConfirmationRequired = "E_CONFIRMATION_REQUIRED"
	Conflict             = "E_CONFLICT"
	Network              = "E_NETWORK"
	RateLimited          = "E_RATE_LIMITED"
	Server               = "E_SERVER"
	Timeout              = "E_TIMEOUT"
	Interrupted          = "E_INTERRUPTED"
	SkillSync            = "E_SKILL_SYNC"
)

// maxBrief is how many characters of a text from outside a message repeats.
const maxBrief = 300

// Error is a failure that a caller can act on.
type Error struct {
	Code    string
	Message string
	// Fix says what to do about it; it becomes details.fix.
	Fix     string
	details map[string]any
	cause   error
}

// New makes a fault. The message names what failed and why.
func New(code, format string, values ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

// WithFix says what to do about it.
func (e *Error) WithFix(format string, values ...any) *Error {
	e.Fix = fmt.Sprintf(format, values...)
	return e
}

// With adds one member to the details.
func (e *Error) With(key string, value any) *Error {
	if e.details == nil {
		e.details = map[string]any{}
	}
	e.details[key] = value
	return e
}

// Because keeps the cause for errors.Is and errors.As; its text is not printed.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error implements error.
func (e *Error) Error() string {
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	return e.cause
}

// Exit is the exit code, from the table of the contract.
func (e *Error) Exit() int {
	return contract.ExitFor(e.Code)
}

// Retryable reports whether a retry without a person may help, from the table of the contract.
func (e *Error) Retryable() bool {
	return contract.Retryable(e.Code)
}

// Details are the structured context; never nil.
func (e *Error) Details() map[string]any {
	details := map[string]any{}
	maps.Copy(details, e.details)
	if e.Fix != "" {
		details["fix"] = e.Fix
	}
	return details
}

// Detail returns one member of the details.
func (e *Error) Detail(key string) any {
	return e.details[key]
}

// From returns the fault in an error; another error becomes one.
func From(err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return Cancelled()
	case errors.Is(err, context.DeadlineExceeded):
		return New(Timeout, "the time limit was reached").WithFix("Wait, then run the command again")
	}
	return New(Unknown, "%s", err.Error()).WithFix("Run doctor; if it finds nothing, report this as a bug").Because(err)
}

// Brief shortens a text from outside, so that a message stays one.
func Brief(text string) string {
	symbols := []rune(text)
	if len(symbols) > maxBrief {
		return string(symbols[:maxBrief]) + "…"
	}
	return text
}

// Cancelled is the fault of a run that a signal ended.
func Cancelled() *Error {
	return New(Interrupted, "interrupted by a signal").WithFix("Run the command again when you are ready")
}

// Known reports whether the contract or the extension declares the code.
func Known(code string) bool {
	return slices.Contains(AllCodes(), code)
}

// AllCodes are the declared codes in order.
func AllCodes() []string {
	return slices.Sorted(maps.Keys(contract.Codes))
}
