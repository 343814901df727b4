// Command conform makes the adapter callable from outside: one call in JSON on each line of its input, one answer on
// each line of its output. `aos conform` uses it.
package main

import (
	"fmt"
	"os"

	adapter "github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme"
)

func main() {
	if err := serve(adapter.New(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(1)
	}
}
