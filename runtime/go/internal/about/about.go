// Package about names this tool. No other Go file spells the name, so that it can be changed here.
package about

// Tool is the name of the program, of its repository and of its Skill.
const Tool = "acme"

// Title is the name in sentences.
const Title = "Acme"

// EnvPrefix begins the name of each environment variable of this tool.
const EnvPrefix = "ACME"

// Description says in one line what the tool is for.
const Description = "Agent CLI for the Acme API"

// Repository is where releases are published, as owner/name on GitHub.
const Repository = "example/acme"

// Module is the path of the Go module, for `go install`.
const Module = "aos.invalid/tool"

// NPMPackage is the name of the package on the npm registry.
const NPMPackage = "acme"
