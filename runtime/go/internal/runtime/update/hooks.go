//go:build !testhooks

package update

import (
	"context"
	"time"
)

// In a test build, hooks replace these functions. A released program has no hooks, so nothing can replace its trust
// root.
func trustRoot() []byte {
	return embeddedTrustRoot
}

func patience(usual time.Duration) time.Duration {
	return usual
}

func checkpoint(context.Context, string) {}
