//go:build testhooks

package update

import (
	"context"
	"os"
	"strconv"
	"time"

	"aos.invalid/tool/internal/runtime/self"
)

// This file is part of programs that tests build with -tags testhooks, never of a release.

func trustRoot() []byte {
	root, err := os.ReadFile(os.Getenv(self.Env("TEST_TRUST_ROOT")))
	if err != nil {
		return embeddedTrustRoot
	}
	return root
}

// patience shortens time limits, so that tests need not wait for them.
func patience(usual time.Duration) time.Duration {
	limit, err := strconv.Atoi(os.Getenv(self.Env("TEST_PATIENCE_MS")))
	if err != nil {
		return usual
	}
	return min(usual, time.Duration(limit)*time.Millisecond)
}

// checkpoint reports to a test that a point is reached, and waits there for a signal.
func checkpoint(ctx context.Context, name string) {
	if os.Getenv(self.Env("TEST_STOP_AT")) != name {
		return
	}
	_ = os.WriteFile(os.Getenv(self.Env("TEST_STOPPED")), []byte(name), 0o600)
	select {
	case <-ctx.Done():
	case <-time.After(30 * time.Second):
	}
}
