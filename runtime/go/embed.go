// Package repository embeds the files of this repository that the program reads at run time.
package repository

import (
	"embed"
	_ "embed" // for the string and byte variables
)

// ChangelogMarkdown is the only source of the command `changelog` and of the release notes.
//
//go:embed CHANGELOG.md
var ChangelogMarkdown string

// PackageJSON contains the version, which the npm package, the Skill and the program share.
//
//go:embed package.json
var PackageJSON []byte

// Skills is the Agent Skill of this version; an installed copy must be equal to it.
//
//go:embed skills
var Skills embed.FS
