//go:build testhooks

package about

import "os"

// This file is part of programs that tests build with -tags testhooks, never of a release: such a program plays the
// version that a test wants.
func init() {
	if played := os.Getenv(Env("TEST_VERSION")); played != "" {
		version = played
	}
}
