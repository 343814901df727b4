// Command notes keeps notes.
package main

import (
	"os"

	"example.com/notes/internal/output"
)

func main() {
	if len(os.Args) != 2 {
		os.Exit(output.Fail(os.Stdout, "E_USAGE", "notes takes one note"))
	}
	if os.Args[1] == "captcha" {
		os.Exit(output.Fail(os.Stdout, "E_HUMAN_REQUIRED", "a person has to look at the captcha"))
	}
	os.Exit(output.Succeed(os.Stdout, map[string]any{"note": os.Args[1]}))
}
