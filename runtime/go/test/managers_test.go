//go:build !windows

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/testkit"
)

// place moves the installed program to where a manager would have put it.
func (i *installed) place(path string) *installed {
	i.T.Helper()
	moved := filepath.Join(i.Home, path)
	write(i.T, moved, read(i.T, i.path), 0o755)
	if err := os.Remove(i.path); err != nil {
		i.T.Fatal(err)
	}
	i.path, i.Program = moved, moved
	return i
}

// npm makes an installation by npm in a prefix.
func npm(t *testing.T, releases *releases) *installed {
	t.Helper()
	tool := install(t, releases)
	tool.place("prefix/lib/node_modules/" + about.NPMPackage + "/node_modules/" + about.NPMPackage + "-linux-x64/bin/" + about.Tool)
	write(t, filepath.Join(filepath.Dir(filepath.Dir(tool.path)), "package.json"), `{"name": "`+about.NPMPackage+`-linux-x64"}`, 0o600)
	return tool
}

// installNew is what a manager does: it puts the new program into its place.
func (i *installed) installNew() string {
	return "cp '" + newer + "' '" + i.path + ".tmp' && mv '" + i.path + ".tmp' '" + i.path + "'"
}

func TestAManagedInstallationIsLeftToItsManager(t *testing.T) {
	t.Parallel()
	tool := npm(t, newReleases(t, newerVersion))
	tool.shim("npm", tool.installNew())
	check := tool.Run("update", "--check").OK()
	prefix := filepath.Join(tool.Home, "prefix")
	wanted := "install --global --prefix " + prefix + " " + about.NPMPackage + "@" + newerVersion
	if check["install_method"] != "npm" || check["command"] != "npm "+wanted {
		t.Errorf("the check says %v", check)
	}
	plan := testkit.Member(t, tool.Run("update", "--dry-run").OK(), "plan")
	if plan["manager_command"] != "npm "+wanted || len(tool.calls("npm")) != 0 {
		t.Errorf("the plan is %v", plan)
	}
	data := tool.Run("update").OK()
	for name, value := range map[string]any{
		"status": "updated", "install_method": "npm", "current_version": newerVersion, "signature_status": "not_checked",
		"signature_verified": false, "skill_sync_status": "synced",
	} {
		if data[name] != value {
			t.Errorf("%s is %v, not %v", name, data[name], value)
		}
	}
	if calls := tool.calls("npm"); len(calls) != 1 || calls[0] != wanted {
		t.Errorf("npm was called with %v", calls)
	}
	for _, request := range tool.releases.seen() {
		if strings.HasPrefix(request.Path, "/files/"+archiveName(newerVersion)) {
			t.Error("the archive was downloaded")
		}
	}
}

func TestAManagerThatFailsIsNamedWithItsCommand(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]struct{ script, code string }{
		"no rights":     {"echo npm error EACCES: permission denied >&2; exit 243", "E_FORBIDDEN"},
		"no network":    {"echo npm error ENOTFOUND registry >&2; exit 1", "E_NETWORK"},
		"other":         {"exit 7", "E_IO"},
		"does nothing":  {"exit 0", "E_CONFLICT"},
		"other version": {"printf '#!/bin/sh\\necho " + about.Tool + " 90.0.0\\n' > \"$HOME/x\" && chmod +x \"$HOME/x\" && mv \"$HOME/x\" PATH", "E_CONFLICT"},
	} {
		tool := npm(t, newReleases(t, newerVersion))
		tool.shim("npm", strings.ReplaceAll(found.script, "PATH", "'"+tool.path+"'"))
		details := tool.Run("update").Fails(found.code)
		if !strings.Contains(toText(details["command"]), about.NPMPackage+"@"+newerVersion) || details["stage"] != "replace" {
			t.Errorf("%s: %v", name, details)
		}
		if details["binary_replaced"] != (name == "other version") {
			t.Errorf("%s: %v", name, details)
		}
	}
	tool := npm(t, newReleases(t, newerVersion))
	tool.Env["PATH"] = tool.shims
	tool.Run("update").Fails("E_CONFIG")
}

func TestHomebrewInstallsItsNewestAlone(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion)).place("Cellar/" + about.Tool + "/1.0.0/bin/" + about.Tool)
	tool.shim("brew", tool.installNew())
	tool.Run("update", "--target-version", newerVersion).Fails("E_CONFIG")
	if len(tool.calls("brew")) != 0 {
		t.Error("brew was called")
	}
	if data := tool.Run("update").OK(); data["install_method"] != "homebrew" || data["current_version"] != newerVersion {
		t.Errorf("the data is %v", data)
	}
}

func TestADirectoryThatOnlyLooksManagedIsNot(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"node_modules/bin/" + about.Tool, "src/node_modules/other/bin/" + about.Tool, "go/bin/" + about.Tool} {
		tool := install(t, newReleases(t, newerVersion)).place(path)
		if check := tool.Run("update", "--check").OK(); check["install_method"] != "standalone" {
			t.Errorf("%s: %v", path, check["install_method"])
		}
	}
}

func TestAnInstallationThatNobodyCanDriveIsNotTouched(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion)).place("nix/store/abc-tool/bin/" + about.Tool)
	before := read(t, tool.path)
	details := tool.Run("update").Fails("E_CONFIG")
	if details["binary_replaced"] != false || read(t, tool.path) != before {
		t.Errorf("the details are %v", details)
	}
}
