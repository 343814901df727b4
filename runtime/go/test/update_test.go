//go:build !windows

package test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
	"aos.invalid/tool/internal/runtime/testkit/sigstore"
)

func TestAnUpdateReplacesTheProgramAndItsSkill(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	host.entries[0].content = []byte(read(t, newer))
	host.publish()
	tool := install(t, host)
	link := filepath.Join(tool.Home, "link")
	if err := errorsOf(os.Symlink(tool.path, link), os.Chmod(tool.path, 0o750)); err != nil {
		t.Fatal(err)
	}
	tool.Program = link
	ended := tool.Run("update")
	data := ended.OK()
	for name, wanted := range map[string]any{
		"status": "updated", "previous_version": self.Version(), "current_version": newerVersion, "target_version": newerVersion,
		"update_available": false, "signature_verified": true, "signature_status": "verified", "checksum_verified": true,
		"binary_replaced": true, "install_method": "standalone", "skill_sync_status": "synced",
		"next_step":       about.Tool + " changelog --since " + self.Version(),
		"signer_identity": sigstore.Release(newerVersion).Identity,
	} {
		if data[name] != wanted {
			t.Errorf("%s is %v, not %v", name, data[name], wanted)
		}
	}
	if read(t, tool.path) != read(t, newer) {
		t.Error("the program is not the new one")
	}
	information, err := os.Stat(tool.path)
	if err != nil || information.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v", information.Mode())
	}
	if target, err := os.Readlink(link); err != nil || target != tool.path {
		t.Errorf("the link was replaced: %v", err)
	}
	tool.clean("update")
	if said := tool.Run("--version").Stdout; said != about.Tool+" "+newerVersion+"\n" {
		t.Errorf("the program says %q", said)
	}
	calls := tool.calls("npx")
	if len(calls) != 1 || !strings.Contains(calls[0], "/"+about.Repository+"/tree/v"+newerVersion+" -y -g -s "+about.Tool) {
		t.Errorf("npx was called with %v", calls)
	}
	ended.Document()
}

func TestACheckOnlyReads(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	host.entries[0].content = []byte(read(t, newer))
	host.publish()
	tool := install(t, host)
	data := tool.Run("update", "--check").OK()
	for name, wanted := range map[string]any{
		"status": "available", "current_version": self.Version(), "target_version": newerVersion, "update_available": true,
		"install_method": "standalone", "command": about.Tool + " update", "severity": "warning",
	} {
		if data[name] != wanted {
			t.Errorf("%s is %v, not %v", name, data[name], wanted)
		}
	}
	for name, there := range testkit.Member(t, data, "release") {
		if there != true {
			t.Errorf("%s is %v", name, there)
		}
	}
	tool.untouched("check")
	if len(tool.calls("npx")) != 0 {
		t.Error("npx was called")
	}
	notices := testkit.List(t, testkit.Member(t, tool.Run("item", "get", "--id", "1").Document(), "meta"), "notices")
	if notices[0]["type"] != "update_available" || notices[0]["latest_version"] != newerVersion {
		t.Errorf("the notice is %v", notices)
	}
	tool.Run("update").OK()
	if _, there := testkit.Member(t, tool.Run("context").Document(), "meta")["notices"]; there {
		t.Error("the notice is still shown after the update")
	}
}

func TestTheSeverityComesFromTheSignedChangelogOfTheTarget(t *testing.T) {
	t.Parallel()
	same := strings.Split(self.Version(), ".")[0] + ".99.0"
	for text, wanted := range map[string]string{
		"### Security\n\n- A hole is closed.\n":     "warning",
		"### Security\n\n### Fixed\n\n- A typo.\n":  "info",
		"### Fixed\n\n- Security was only a word\n": "info",
	} {
		host := newReleases(t, same)
		host.entries[len(host.entries)-1].content = []byte("# Changelog\n\n## [" + same + "] - 2001-01-01\n\n" + text)
		host.publish()
		tool := install(t, host)
		if severity := tool.Run("update", "--check").OK()["severity"]; severity != wanted {
			t.Errorf("%q: %v", text, severity)
		}
		// A changelog that nobody signed has no say.
		host.change(func() {
			host.files["CHANGELOG.md"] = []byte(strings.ReplaceAll(string(host.files["CHANGELOG.md"]), "A ", "An "))
		})
		if severity := tool.Run("update", "--check").OK()["severity"]; severity != "info" {
			t.Errorf("%q: %v without a signature", text, severity)
		}
	}
}

func TestADryRunShowsThePlanAndWritesNothing(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	data := tool.Run("update", "--dry-run").OK()
	if _, there := data["confirm_token"]; there || data["status"] != "planned" || data["update_available"] != true {
		t.Errorf("the data is %v", data)
	}
	plan := testkit.Member(t, data, "plan")
	if plan["archive"] != archiveName(newerVersion) || plan["signer_identity"] != sigstore.Release(newerVersion).Identity {
		t.Errorf("the plan is %v", plan)
	}
	tool.untouched("dry run")
	if _, err := os.Stat(tool.State("notices.json")); err == nil {
		t.Error("the cache of notices was written")
	}
}

func TestNothingIsDoneWhenTheVersionIsCurrent(t *testing.T) {
	t.Parallel()
	for _, call := range [][]string{{"update"}, {"update", "--target-version", self.Version()}, {"update", "--target-version", "v" + self.Version()}} {
		tool := install(t, newReleases(t, self.Version()))
		for _, name := range []string{"npx", "npm", "go", "brew", "pip"} {
			tool.shim(name, "exit 1")
		}
		data := tool.Run(call...).OK()
		if data["status"] != "current" || data["current_version"] != self.Version() || data["target_version"] != self.Version() || data["update_available"] != false {
			t.Errorf("the data is %v", data)
		}
		for _, name := range []string{"npx", "npm", "go", "brew", "pip"} {
			if len(tool.calls(name)) != 0 {
				t.Errorf("%s was called", name)
			}
		}
		tool.untouched("no-op")
	}
}

func TestAStaleSkillIsSyncedEvenWhenTheProgramIsCurrent(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, self.Version()))
	mine := filepath.Join(tool.Home, ".agents", "skills", about.Tool, "SKILL.md")
	write(t, mine, "my own notes\n", 0o600)
	if check(t, tool.tool, "skill_current")["status"] != "fail" {
		t.Error("doctor does not see the stale Skill")
	}
	data := tool.Run("update").OK()
	if data["skill_sync_status"] != "synced" || len(tool.calls("npx")) != 1 {
		t.Errorf("the data is %v", data)
	}
	backups := testkit.Texts(testkit.Member(t, data, "skill")["backups"])
	if len(backups) != 1 || read(t, filepath.Join(backups[0], "SKILL.md")) != "my own notes\n" {
		t.Errorf("the changed Skill was not kept: %v", backups)
	}
	if check(t, tool.tool, "skill_current")["status"] != "pass" {
		t.Error("doctor does not see the new Skill")
	}
	if data := tool.Run("update").OK(); data["skill_sync_status"] != "current" || len(tool.calls("npx")) != 1 {
		t.Errorf("the data is %v", data)
	}
}

func TestAnOlderVersionIsInstalledOnlyOnRequest(t *testing.T) {
	t.Parallel()
	older := "0.0.1"
	host := newReleases(t, older)
	tool := install(t, host)
	tool.Run("update", "--target-version", older).Fails("E_VALIDATION")
	tool.untouched("downgrade")
	data := tool.Run("update", "--target-version", older, "--allow-downgrade").OK()
	if data["current_version"] != older || data["previous_version"] != self.Version() {
		t.Errorf("the data is %v", data)
	}
}

func TestANewestReleaseThatIsOlderIsANoOpWithAWarning(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, "0.0.1"))
	for _, call := range [][]string{{"update", "--check"}, {"update"}} {
		data := tool.Run(call...).OK()
		notice := testkit.List(t, data, "notices")[0]
		if notice["type"] != "remote_older" || notice["severity"] != "warning" || data["update_available"] != false || data["remote_version"] != "0.0.1" {
			t.Errorf("%v: %v", call, data)
		}
	}
	tool.untouched("older")
}

func TestAReleaseThatDisappearsIsAWarning(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	tool := install(t, host)
	tool.Run("update", "--check").OK()
	host.change(func() {
		host.version, host.how = "90.0.5", sigstore.Release("90.0.5")
		host.publish()
	})
	data := tool.Run("update").OK()
	if notice := testkit.List(t, data, "notices")[0]; notice["type"] != "possible_freeze" || data["status"] != "current" {
		t.Errorf("the data is %v", data)
	}
	tool.untouched("freeze")
}

func TestACheckWithoutANetworkFailsWithWhatWasKnown(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	tool := install(t, host)
	host.on("api", func(w http.ResponseWriter, _ *http.Request) { hangUp(w) })
	if known := tool.Run("update", "--check").Fails("E_NETWORK"); known["last_known"] != nil {
		t.Errorf("last_known is %v", known["last_known"])
	}
	host.on("api", nil)
	tool.Run("update", "--check").OK()
	host.on("api", func(w http.ResponseWriter, _ *http.Request) { hangUp(w) })
	known := testkit.Member(t, tool.Run("update", "--check").Fails("E_NETWORK"), "last_known")
	testkit.SameKeys(t, "last_known", known, []string{"target_version", "update_available", "checked_at"})
	if known["target_version"] != newerVersion || known["update_available"] != true {
		t.Errorf("last_known is %v", known)
	}
}

func TestATokenOfGitHubGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	tool := install(t, host)
	tool.Env["GITHUB_TOKEN"] = "gh-canary-0123456789"
	ended := tool.Run("update")
	ended.OK()
	for _, request := range host.seen() {
		if request.Header.Get("Authorization") != "" {
			t.Errorf("%s got the token", request.Path)
		}
	}
	if strings.Contains(ended.Stdout+ended.Stderr, "gh-canary") {
		t.Error("the token was printed")
	}
}

func TestTheReleasedProgramHasNoWayAroundItsTrustRoot(t *testing.T) {
	t.Parallel()
	if text := read(t, released); strings.Contains(text, "TEST_TRUST_ROOT") || strings.Contains(text, "TEST_STOP_AT") || strings.Contains(text, "TEST_VERSION") {
		t.Error("the released program has the hooks of the tests")
	}
	tool := install(t, newReleases(t, newerVersion))
	write(t, tool.path, read(t, released), 0o755)
	details := tool.Run("update").Fails("E_INTEGRITY")
	if details["stage"] != "verify_signature" || read(t, tool.path) != read(t, released) {
		t.Errorf("the details are %v", details)
	}
}

func hangUp(w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // always one in tests
	if err == nil {
		reset(connection)
	}
}
