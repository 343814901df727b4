//go:build !windows

package test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
)

// partial wants a new program without its Skill, and says so.
func partial(t *testing.T, tool *installed, code, cause string) {
	t.Helper()
	ended := tool.Run("update")
	details := ended.Fails(code)
	for name, wanted := range map[string]any{
		"stage": "skill_sync", "binary_replaced": true, "current_version": newerVersion, "target_version": newerVersion,
		"skill_sync_status": "failed", "cause": cause,
	} {
		if details[name] != wanted {
			t.Errorf("%s is %v, not %v", name, details[name], wanted)
		}
	}
	command := toText(details["skill_sync_command"])
	// Verified: a command of the installer would not be.
	if command != about.Tool+" update --target-version "+newerVersion || strings.Contains(ended.Stdout, "skills add") {
		t.Errorf("the command is %q", command)
	}
	message := ended.Message()
	for _, part := range []string{newerVersion, command, "changelog --since " + self.Version()} {
		if !strings.Contains(message, part) {
			t.Errorf("the message lacks %q: %s", part, message)
		}
	}
	tool.clean(cause)
}

func TestANewProgramWithoutItsSkillIsAPartialResult(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tool.shim("npx", "echo npm error ECONNREFUSED >&2; exit 1")
	partial(t, tool, "E_SKILL_SYNC", "network")
}

// The installer cannot run: a machine that never had the Skill stays without it, an installed copy is replaced.
func TestWithoutNodeAnUpdateIsNoFailure(t *testing.T) {
	t.Parallel()
	for cause, spoil := range map[string]func(*installed){
		"npx_missing":  func(tool *installed) { tool.unshim("npx") },
		"node_missing": func(tool *installed) { tool.unshim("node") },
		"node_too_old": func(tool *installed) { tool.shim("node", "echo v18.20.0") },
		"git_missing":  func(tool *installed) { tool.unshim("git") },
	} {
		t.Run(cause, func(t *testing.T) {
			t.Parallel()
			tool := install(t, newReleases(t, newerVersion))
			// Nothing but the shims is on the path, so what is missing is missing.
			tool.Env["PATH"] = tool.shims
			spoil(tool)
			data := tool.Run("update").OK()
			if data["skill_sync_status"] != "not_installed" || testkit.Member(t, data, "skill")["cause"] != cause {
				t.Errorf("the data is %v", data)
			}
			tool = install(t, newReleases(t, newerVersion))
			tool.Env["PATH"] = tool.shims
			spoil(tool)
			for _, place := range []string{".agents", ".claude"} {
				write(t, filepath.Join(tool.Home, place, "skills", about.Tool, "SKILL.md"), "", 0o600)
			}
			data = tool.Run("update").OK()
			if data["skill_sync_status"] != "synced" || len(tool.calls("npx")) != 0 {
				t.Errorf("the data is %v", data)
			}
			for _, copy := range testkit.List(t, testkit.Member(t, data, "skill"), "copies") {
				if copy["state"] != "current" {
					t.Errorf("a copy is %v", copy)
				}
			}
		})
	}
}

// The exit code of the installer proves nothing.
func TestAnInstallerThatWritesNothingLeavesTheWorkToTheTool(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"exit 0", "exit 1"} {
		tool := install(t, newReleases(t, newerVersion))
		tool.shim("npx", script)
		if data := tool.Run("update").OK(); data["skill_sync_status"] != "synced" {
			t.Errorf("%s: the data is %v", script, data)
		}
	}
}

func TestForeignFilesOfAnInstallerDoNotStay(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"other content": `echo evil > "$to/SKILL.md"`,
		"another file":  `echo evil > "$to/extra.md"`,
		"a directory":   `mkdir -p "$to/deep/er" && echo evil > "$to/deep/er/x.md"`,
		"nothing":       `rm -r "$to" && mkdir "$to"`,
		"a mode":        `chmod 755 "$to/SKILL.md"`,
		"a repository":  `mkdir "$to/.git" && echo x > "$to/.git/HEAD"`,
		"a link":        `rm -r "$to" && mkdir "$HOME/away" && echo evil > "$HOME/away/SKILL.md" && ln -s "$HOME/away" "$to"`,
		"another agent": `mkdir -p "$HOME/.claude/skills/` + about.Tool + `" && echo evil > "$HOME/.claude/skills/` + about.Tool + `/SKILL.md"`,
		"no agent":      `mkdir -p "$HOME/.x/skills/` + about.Tool + `" && echo evil > "$HOME/.x/skills/` + about.Tool + `/SKILL.md"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := install(t, newReleases(t, newerVersion))
			to := filepath.Join(tool.Home, ".agents", "skills", about.Tool)
			tool.shim("npx", tool.copySkill()+"\nto='"+to+"'\n"+change)
			ended := tool.Run("update")
			details := ended.Fails("E_INTEGRITY")
			skill := testkit.Member(t, details, "skill")
			if details["stage"] != "skill_sync" || details["cause"] != "verify_mismatch" || details["binary_replaced"] != true || skill["live"] != "verified" {
				t.Errorf("the details are %v", details)
			}
			if strings.Contains(ended.Stdout, "skills add") || strings.Contains(ended.Stdout, "npx --yes") {
				t.Errorf("the answer repeats an install: %s", ended.Stdout)
			}
			for _, copy := range testkit.List(t, skill, "copies") {
				if text := read(t, filepath.Join(toText(copy["path"]), "SKILL.md")); strings.Contains(text, "evil") || copy["state"] != "current" {
					t.Errorf("a copy is %v: %.100s", copy, text)
				}
			}
			for _, repair := range testkit.List(t, skill, "repairs") {
				if _, err := os.Lstat(toText(repair["quarantine"])); err != nil {
					t.Errorf("a repair is %v", repair)
				}
			}
		})
	}
}

func TestAnOwnCopyWhereNoInstallerWritesStays(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	own := filepath.Join(tool.Home, ".cursor", "skills", about.Tool, "SKILL.md")
	write(t, own, "mine\n", 0o600)
	details := tool.Run("update").Fails("E_CONFIG")
	if details["cause"] != "unmanaged_copy" || read(t, own) != "mine\n" {
		t.Errorf("the details are %v", details)
	}
}

func TestWhatAKilledSyncLeftIsRepaired(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, self.Version()))
	place := filepath.Join(tool.Home, ".agents", "skills", about.Tool, "SKILL.md")
	write(t, place, "evil\n", 0o600)
	journal := filepath.Join(tool.Home, "."+about.Tool, "skill-sync.json")
	write(t, journal, "{}", 0o600)
	details := tool.Run("update").Fails("E_INTEGRITY")
	if testkit.Member(t, details, "skill")["live"] != "verified" || strings.Contains(read(t, place), "evil") {
		t.Errorf("the details are %v", details)
	}
	if _, err := os.Lstat(journal); err == nil {
		t.Error("the journal is still there")
	}
	if data := tool.Run("update").OK(); data["skill_sync_status"] != "current" {
		t.Errorf("the data is %v", data)
	}
}

func TestAnInstallerThatFailsAfterItsWorkIsNoFailure(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tool.shim("npx", tool.copySkill()+"\nexit 1")
	data := tool.Run("update").OK()
	if data["skill_sync_status"] != "synced" || toText(testkit.Member(t, data, "skill")["installer_exit"]) != "1" {
		t.Errorf("the data is %v", data)
	}
}

func TestAnInstallerThatHangsIsEndedWithEverythingItStarted(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	pid := filepath.Join(tool.Home, "pid")
	tool.With("TEST_PATIENCE_MS", "1500")
	tool.shim("npx", "trap '' TERM\nsleep 300 &\necho $! > '"+pid+"'\nwait")
	partial(t, tool, "E_TIMEOUT", "timed_out")
	var child int
	for _, symbol := range strings.TrimSpace(read(t, pid)) {
		child = child*10 + int(symbol-'0')
	}
	for range 100 {
		if syscall.Kill(child, 0) != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("the process %d is still there", child)
}

func TestACopyThatTheInstallerLeavesOutIsNamedToIt(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	other := filepath.Join(tool.Home, ".config", "goose", "skills", about.Tool)
	write(t, filepath.Join(other, "SKILL.md"), "old\n", 0o600)
	copied := tool.copySkill()
	tool.shim("npx", copied+"\ncase \"$*\" in *goose*) rm -rf '"+other+"' && cp -R \"$HOME/.agents/skills/"+about.Tool+"\" '"+other+"';; esac")
	data := tool.Run("update").OK()
	calls := tool.calls("npx")
	if data["skill_sync_status"] != "synced" || len(calls) != 2 || !strings.HasSuffix(calls[1], "-a universal goose") {
		t.Errorf("npx was called with %v", calls)
	}
}

func TestTheWorkTreeOfADeveloperIsNotTouched(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tree := filepath.Join(tool.Home, "src", about.Tool)
	write(t, filepath.Join(tree, ".git", "HEAD"), "", 0o600)
	write(t, filepath.Join(tree, "skills", about.Tool, "SKILL.md"), "in work\n", 0o600)
	link := filepath.Join(tool.Home, ".agents", "skills", about.Tool)
	if err := errorsOf(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(filepath.Join(tree, "skills", about.Tool), link)); err != nil {
		t.Fatal(err)
	}
	data := tool.Run("update").OK()
	if data["skill_sync_status"] != "skipped" || len(tool.calls("npx")) != 0 {
		t.Errorf("the data is %v", data)
	}
}

func TestTheInstallerRunsWithoutSignsOfAgentsAndFarFromProjects(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	seen := filepath.Join(tool.Home, "seen")
	tool.Env["CLAUDECODE"], tool.Env["GIT_DIR"], tool.Env["XDG_CONFIG_HOME"] = "1", "/nowhere", "relative"
	tool.shim("npx", "{ env; echo cwd=$(pwd); cat package.json; } > '"+seen+"'\n"+tool.copySkill())
	tool.Run("update").OK()
	text := read(t, seen)
	for _, unwanted := range []string{"CLAUDECODE", "GIT_DIR=", "XDG_CONFIG_HOME", "cwd=" + tool.Home + "\n"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the installer saw %s", unwanted)
		}
	}
	for _, wanted := range []string{"DO_NOT_TRACK=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_VALUE_0=false", `{"private":true}`} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the installer did not see %s", wanted)
		}
	}
}
