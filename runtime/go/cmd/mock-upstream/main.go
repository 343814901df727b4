// Command mock-upstream serves the mock of the API on this machine, for trials without an account.
package main

import (
	"os"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/mockkit"
)

func main() {
	os.Exit(mockkit.Main(mock.New(), mock.TokenAlice))
}
