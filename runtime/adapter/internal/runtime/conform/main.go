// Command conform makes the adapter callable from outside: one call in JSON on each line of its input, one answer on
// each line of its output. `aos conform` uses it. Started by the name `ao`, it is the stand-in for that program.
package main

import (
	"fmt"
	"os"

	adapter "github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme"
	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme/internal/runtime/testkit"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters"
)

func main() {
	testkit.StandIn()
	create := func() adapters.Adapter { return adapter.New() }
	runProbe(create)
	if err := serve(create, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(1)
	}
}
