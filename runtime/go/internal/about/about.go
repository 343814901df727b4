// Package about has the names of this tool. No other Go file contains the name, so it can be changed here.
package about

// Tool is the name of the program, of its repository and of its Skill.
const Tool = "acme"

// Title is the name in sentences.
const Title = "Acme"

// EnvPrefix begins the name of each environment variable of this tool.
const EnvPrefix = "ACME"

// Description is the purpose of the tool in one line.
const Description = "Agent CLI for the Acme API"

// Repository is the repository of the releases, as owner/name on GitHub.
const Repository = "example/acme"

// Module is the path of the Go module, for `go install`.
const Module = "aos.invalid/tool"

// NPMPackage is the name of the package on the npm registry.
const NPMPackage = "acme"
