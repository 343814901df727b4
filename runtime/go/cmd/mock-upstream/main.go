// Command mock-upstream serves the mock of the API on this machine, to try the tool out.
package main

import (
	"os"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/mockkit"
)

func main() {
	os.Exit(mockkit.Main(mock.New(), mock.TokenAlice))
}
