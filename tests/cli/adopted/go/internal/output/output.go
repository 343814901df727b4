// Package output writes envelopes.
package output

import (
	"encoding/json"
	"io"

	"example.com/notes/internal/contract"
)

// Succeed writes a success and gives the exit code.
func Succeed(w io.Writer, data any) int {
	return write(w, map[string]any{
		"ok": true, "schema_version": contract.SchemaVersion, "data": data, "meta": meta(),
	}, 0)
}

// Fail writes a failure and gives the exit code of its code.
func Fail(w io.Writer, code, message string) int {
	return write(w, map[string]any{
		"ok": false, "schema_version": contract.SchemaVersion, "meta": meta(),
		"error": map[string]any{
			"code": code, "message": message, "details": map[string]any{},
			"retryable": contract.Retryable(code),
		},
	}, contract.ExitFor(code))
}

func meta() map[string]any {
	return map[string]any{"duration_ms": 0}
}

func write(w io.Writer, envelope map[string]any, exit int) int {
	if err := json.NewEncoder(w).Encode(envelope); err != nil {
		return contract.ExitFor("E_IO")
	}
	return exit
}
