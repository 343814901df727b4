//go:build testhooks

package self

// This file is part of programs that tests build with -tags testhooks, never of a release: such a program plays the
// version that a test wants.
func init() {
	if played := Getenv("TEST_VERSION"); played != "" {
		version = played
	}
}
