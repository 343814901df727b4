package skill

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"aos.invalid/tool/internal/runtime/process"
)

// pin is a version of the installer.
type pin string

const (
	// older runs on Node 20.12 to 22.19, newer on Node 22.20 and later.
	older pin = "1.5.16"
	newer pin = "1.7.4"
)

func (p pin) reach(agent agent) reach {
	if p == older {
		return agent.older
	}
	return agent.newer
}

// unwanted are variables that the installer must not see: those of agents limit the agents for which it installs, those
// of an outer npx or git lead to other directories, and programs that ask for a password would wait for a person.
var unwanted = []string{
	"AI_AGENT", "ANTIGRAVITY_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_IS_COWORK",
	"CODEX_CI", "CODEX_SANDBOX", "CODEX_THREAD_ID", "COPILOT_ALLOW_ALL", "COPILOT_GITHUB_TOKEN", "COPILOT_MODEL",
	"CURSOR_AGENT", "CURSOR_EXTENSION_HOST_ROLE", "CURSOR_TRACE_ID", "GEMINI_CLI", "OPENCODE_CLIENT", "REPL_ID",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_INDEX_FILE",
	"GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_TEMPLATE_DIR",
	"GIT_WORK_TREE", "GIT_ASKPASS", "SSH_ASKPASS", "FORCE_COLOR",
	"npm_config_call", "npm_config_package", "npm_config_workspace", "npm_config_workspaces",
}

// settings never ask, never report home and never wait long.
var settings = map[string]string{
	"DISABLE_TELEMETRY":          "1",
	"DO_NOT_TRACK":               "1",
	"GCM_INTERACTIVE":            "never",
	"GIT_TERMINAL_PROMPT":        "0",
	"NO_COLOR":                   "1",
	"SKILLS_CLONE_TIMEOUT_MS":    "90000",
	"npm_config_audit":           "false",
	"npm_config_fetch_retries":   "1",
	"npm_config_fetch_timeout":   "30000",
	"npm_config_fund":            "false",
	"npm_config_update_notifier": "false",
	"npm_config_yes":             "true",
}

const (
	nodeLimit      = 10 * time.Second
	maxGitSettings = 10_000
)

// tools are the programs that a sync needs, or why it cannot be done.
type tools struct {
	npx   string
	pin   pin
	cause string
	fix   string
}

func findTools(ctx context.Context) tools {
	missing := func(cause, fix string) tools { return tools{pin: newer, cause: cause, fix: fix} }
	npx, node := process.Find("npx"), process.Find("node")
	if npx == "" {
		return missing("npx_missing", "install Node 22.20 or newer, with npm")
	}
	if node == "" {
		return missing("node_missing", "install Node 22.20 or newer")
	}
	ending, err := process.Run(ctx, process.Command{
		Program: node, Arguments: []string{"--version"}, Directory: os.TempDir(), Limit: nodeLimit,
	})
	if err == nil && ending.Interrupted {
		return missing("interrupted", "")
	}
	if err != nil || ending.Exit != 0 {
		return missing("node_missing", "install Node 22.20 or newer")
	}
	pin, able := pinFor(ending.Tail)
	if !able {
		return missing("node_too_old", "install Node 22.20 or newer")
	}
	if process.Find("git") == "" {
		return missing("git_missing", "install git")
	}
	return tools{npx: npx, pin: pin}
}

var nodeVersion = regexp.MustCompile(`^v(\d{1,4})\.(\d{1,4})\.`)

// pinFor returns the newest installer that a Node can run.
func pinFor(said string) (pin, bool) {
	found := nodeVersion.FindStringSubmatch(said)
	if found == nil {
		return "", false
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	switch {
	case major > 22, major == 22 && minor >= 20:
		return newer, true
	case major == 22, major == 21 && minor >= 7, major == 20 && minor >= 12:
		return older, true
	}
	return "", false
}

// arguments are the words for npx. Every word is plain, so that a person can type the same into any shell.
func arguments(pin pin, request Request, targets []string) []string {
	// The tag pins the Skill; without it, that of the newest commit would be installed. The name pins it as well:
	// without it, every Skill of the repository would be installed, and nothing verifies the others. The source comes
	// first: -s and -a take all words that follow them.
	source := "https://github.com/" + request.Repository + "/tree/v" + request.Version
	words := []string{"--yes", "skills@" + string(pin), "add", source, "-y", "-g", "-s", request.Name}
	if targets != nil {
		words = append(append(words, "-a", "universal"), targets...)
	}
	return words
}

// install runs npx in a private directory.
func install(ctx context.Context, npx string, words []string, limit time.Duration) (process.Ending, error) {
	directory, err := os.MkdirTemp("", "skill-sync-*")
	if err != nil {
		return process.Ending{}, err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	// The directory of a project ends npx's search for installed packages, so this is one.
	if err := os.WriteFile(filepath.Join(directory, "package.json"), []byte("{\"private\":true}\n"), 0o600); err != nil {
		return process.Ending{}, err
	}
	return process.Run(ctx, process.Command{
		Program:     npx,
		Arguments:   words,
		Directory:   directory,
		Environment: environment(directory),
		Limit:       limit,
	})
}

func environment(directory string) []string {
	with := map[string]string{"TMPDIR": directory, "TMP": directory, "TEMP": directory}
	without := append([]string(nil), unwanted...)
	for name, value := range settings {
		with[name] = value
		// npm takes its settings in capitals as well.
		without = append(without, name)
	}
	for _, rule := range moved {
		if !filepath.IsAbs(strings.TrimSpace(os.Getenv(rule.variable))) {
			without = append(without, rule.variable)
		}
	}
	count, err := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT"))
	if err != nil || count < 0 || count > maxGitSettings {
		count = 0
	}
	own := [][2]string{{"core.autocrlf", "false"}, {"core.hooksPath", os.DevNull}}
	for index, setting := range own {
		with["GIT_CONFIG_KEY_"+strconv.Itoa(count+index)] = setting[0]
		with["GIT_CONFIG_VALUE_"+strconv.Itoa(count+index)] = setting[1]
	}
	with["GIT_CONFIG_COUNT"] = strconv.Itoa(count + len(own))
	return process.Environment(without, with)
}

var networkFault = regexp.MustCompile(`(?i)connection|could not resolve|eai_again|econnre|enetunreach|ehostunreach|` +
	`enotfound|etimedout|failed to c(?:lone|onnect)|fetch failed|network|rate limit|socket hang up|timed out|unable to access`)
