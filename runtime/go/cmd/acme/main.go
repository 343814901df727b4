// Command acme is an agent CLI; `acme reference` describes it.
package main

import (
	"os"

	"aos.invalid/tool/internal/commands"
)

func main() {
	os.Exit(commands.Tool().Main(os.Args[1:], os.Stdout, os.Stderr))
}
