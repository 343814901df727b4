package update

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/process"
)

// Ways of installing.
const (
	standalone = "standalone"
	byNPM      = "npm"
	byGo       = "go"
	byHomebrew = "homebrew"
	byOther    = "other"
)

const managerLimit = 10 * time.Minute

// installation is how the running program came here.
type installation struct {
	method string
	// program and arguments run the manager; the version replaces %v.
	program   string
	arguments []string
	newest    bool
	owner     string
}

// detect recognizes the installer by the location of the real file, and for npm and Go also by the files that they
// write there: a directory with a similar name is not enough.
func detect(path string) installation {
	parts := strings.Split(filepath.ToSlash(path), "/")
	if prefix, global, found := npmPrefix(path, parts); found {
		if !global {
			return installation{method: byOther, owner: "the npm project in " + prefix}
		}
		return installation{method: byNPM, program: "npm", arguments: []string{
			"install", "--global", "--prefix", prefix, about.NPMPackage + "@%v",
		}}
	}
	if index := slices.Index(parts, "Cellar"); index >= 0 && index+2 < len(parts) {
		return installation{method: byHomebrew, program: "brew", arguments: []string{"upgrade", parts[index+1]}, newest: true}
	}
	for _, foreign := range []string{"/nix/store/", "/snap/", "/scoop/apps/", "/mise/installs/", "/chocolatey/"} {
		if strings.Contains(strings.ToLower(filepath.ToSlash(path)), foreign) {
			return installation{method: byOther, owner: strings.Trim(foreign, "/")}
		}
	}
	if build, _ := debug.ReadBuildInfo(); goOwns(path, build) {
		return installation{method: byGo, program: "go", arguments: []string{
			"install", about.Module + "/cmd/" + about.Tool + "@v%v",
		}}
	}
	return installation{method: standalone}
}

// npmPrefix finds the npm installation that owns a file: the package around it says so.
func npmPrefix(path string, parts []string) (prefix string, global, found bool) {
	index := slices.Index(parts, "node_modules")
	if index < 0 || !isNPMPackage(path) {
		return "", false, false
	}
	above := parts[:index]
	if runtime.GOOS != "windows" && len(above) > 0 && above[len(above)-1] == "lib" {
		return filepath.FromSlash(strings.Join(above[:len(above)-1], "/")), true, true
	}
	prefix = filepath.FromSlash(strings.Join(above, "/"))
	_, err := os.Stat(filepath.Join(prefix, "package.json"))
	return prefix, runtime.GOOS == "windows" && err != nil, true
}

// isNPMPackage looks for the manifest of the platform package two levels above the program: <package>/bin/<program>.
func isNPMPackage(path string) bool {
	text, err := config.ReadBounded(filepath.Join(filepath.Dir(filepath.Dir(path)), "package.json"), 64*1024)
	var manifest struct {
		Name string `json:"name"`
	}
	return err == nil && json.Unmarshal(text, &manifest) == nil && strings.HasPrefix(manifest.Name, about.NPMPackage+"-")
}

// goOwns reports whether `go install` put the program here: it is in the directory that Go installs to, and was built
// from a version of the module and not from a work tree.
func goOwns(path string, build *debug.BuildInfo) bool {
	if build == nil || build.Main.Path != about.Module || build.Main.Version == "" || build.Main.Version == "(devel)" {
		return false
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return false
		}
	}
	directory := os.Getenv("GOBIN")
	if directory == "" {
		gopath := os.Getenv("GOPATH")
		if home, err := os.UserHomeDir(); gopath == "" && err == nil {
			gopath = filepath.Join(home, "go")
		}
		directory = filepath.Join(filepath.SplitList(gopath + string(filepath.ListSeparator))[0], "bin")
	}
	real, err := filepath.EvalSymlinks(directory)
	return err == nil && real == filepath.Dir(path)
}

func (i installation) managed() bool {
	return i.method != standalone
}

// words are the arguments of the manager for a version.
func (i installation) words(version string) []string {
	words := make([]string, len(i.arguments))
	for index, word := range i.arguments {
		words[index] = strings.ReplaceAll(word, "%v", version)
	}
	return words
}

// command is what a person can run.
func (i installation) command(version string) string {
	switch i.method {
	case standalone:
		return about.Tool + " update"
	case byOther:
		return "update " + about.Tool + " with " + i.owner
	}
	words := []string{i.program}
	for _, word := range i.words(version) {
		if strings.ContainsAny(word, " \t'\"\\$`") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// drive runs the manager and says which version is installed then, as the program itself reports it.
func (i installation) drive(ctx context.Context, path, version string, isNewest bool) (string, error) {
	command := i.command(version)
	switch {
	case i.method == byOther:
		return "", fault.New(fault.Config, "%s was installed by %s, which it cannot run", about.Tool, i.owner).
			WithFix("%s", command).With("command", command)
	case i.newest && !isNewest:
		return "", fault.New(fault.Config, "%s cannot install a version that is not its newest", i.program).
			WithFix("Omit --target-version, or install that version yourself").With("command", command)
	}
	program := process.Find(i.program)
	if program == "" {
		return "", fault.New(fault.Config, "%s was installed with `%s`, which is not on PATH", about.Tool, i.program).
			WithFix("Put `%s` on PATH, or run `%s` yourself", i.program, command).With("command", command)
	}
	ending, err := process.Run(ctx, process.Command{
		Program: program, Arguments: i.words(version), Directory: os.TempDir(), Limit: patience(managerLimit),
	})
	if err != nil {
		return "", fault.New(fault.IO, "`%s` cannot be run: %v", i.program, err).WithFix("Run `%s`", command).With("command", command)
	}
	if ending.Interrupted {
		return "", fault.Cancelled().With("command", command)
	}
	installed, versionError := versionOf(ctx, path)
	if ending.TimedOut || ending.Exit != 0 {
		return installed, managerFault(i.program, command, ending)
	}
	if versionError != nil {
		return "", versionError
	}
	if installed != version {
		return installed, fault.New(fault.Conflict, "`%s` reported success, but %s reports version %s, not %s", i.program, path, installed, version).
			WithFix("Run `%s` and see which installation it changes", command).
			With("command", command).With("observed_version", installed)
	}
	return installed, nil
}

func managerFault(program, command string, ending process.Ending) error {
	code := fault.IO
	said := strings.ToLower(ending.Tail)
	contains := func(signs ...string) bool {
		return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(said, sign) })
	}
	switch {
	case ending.TimedOut:
		code = fault.Timeout
	case contains("eacces", "eperm", "permission denied"):
		code = fault.Forbidden
	case contains("econn", "enotfound", "eai_again", "etimedout", "network", "could not resolve", "dial tcp"):
		code = fault.Network
	}
	return fault.New(code, "`%s` failed", program).WithFix("Run `%s`", command).
		With("command", command).With("manager_exit", ending.Exit).With("manager_output", ending.Tail)
}
