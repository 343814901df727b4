// Package self says which program runs: its version, and the names of its environment variables.
//
// The identity itself is in internal/about, which belongs to the project.
package self

import (
	"encoding/json"
	"os"
	"sync"

	repository "aos.invalid/tool"
	"aos.invalid/tool/internal/about"
)

// Runtime is the version of the vendored runtime; runtime.toml of its own repository has the same.
const Runtime = "0.1.0"

// version is set by the linker (-X …/internal/runtime/self.version=1.2.3) for special builds; package.json decides
// otherwise.
var version string

var readVersion = sync.OnceValue(func() string {
	if version != "" {
		return version
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(repository.PackageJSON, &manifest) != nil || manifest.Version == "" {
		return "0.0.0"
	}
	return manifest.Version
})

// Version is the version of this program, without a leading v.
func Version() string {
	return readVersion()
}

// Env is the full name of an environment variable of this tool, with its prefix: Env("HOME") ends with _HOME.
func Env(name string) string {
	return about.EnvPrefix + "_" + name
}

// Getenv reads an environment variable of this tool; it is empty when the variable is not set.
func Getenv(name string) string {
	return os.Getenv(Env(name))
}

// UserAgent names the program to servers, as name/version.
func UserAgent() string {
	return about.Tool + "/" + Version()
}
