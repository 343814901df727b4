package update

import (
	"fmt"
	"os"

	"aos.invalid/tool/internal/runtime/fault"
)

// swap renames the running program aside, which Windows allows, and the staged one into its place. When the second
// rename fails, the first one is undone.
func (e *executable) swap(staged string) error {
	aside := e.stagingPath(asideSuffix)
	if err := os.Rename(e.path, aside); err != nil {
		return localFault(e.path, err)
	}
	err := os.Rename(staged, e.path)
	if err == nil {
		return nil
	}
	if restore := os.Rename(aside, e.path); restore != nil {
		return fault.New(fault.IO, "`%s` no longer exists: neither the new nor the old program could be written there", e.path).
			WithFix("Run `%s`", fmt.Sprintf("move \"%s\" \"%s\"", aside, e.path)).
			With("rollback_failed", true).With("backup", aside).Because(restore)
	}
	return localFault(e.path, err)
}
