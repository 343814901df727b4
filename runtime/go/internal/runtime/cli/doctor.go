package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/notice"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/skill"
)

// patience is how long the upstream may take to show that it is there.
const patience = 5 * time.Second

// doctorData has what was examined.
type doctorData struct {
	Checks  []checkResult    `json:"checks"`
	Notices []*notice.Notice `json:"notices,omitempty"`
}

// checkResult has a fix exactly when it does not pass.
type checkResult struct {
	Check   string  `json:"check"`
	Status  string  `json:"status"`
	Fix     *string `json:"fix"`
	Message string  `json:"message"`
}

func pass(check, message string) checkResult {
	return checkResult{Check: check, Status: "pass", Message: message}
}

func trouble(check, status, message, fix string) checkResult {
	return checkResult{Check: check, Status: status, Fix: &fix, Message: message}
}

func failing(check string, err error) checkResult {
	failed := fault.From(err)
	return trouble(check, "fail", failed.Message, failed.Fix)
}

func runDoctor(call *Call) (any, error) {
	setup := call.app.config
	data := doctorData{Checks: []checkResult{
		checkVersion(),
		checkConfig(setup),
		checkState(setup),
		checkCredentials(call.app),
		checkUpstream(call),
		checkSkill(setup),
		checkUpdate(setup),
		checkReadiness(call.app.tool.Readiness),
	}}
	if call.Context.Err() != nil {
		return nil, fault.Cancelled()
	}
	if found := notice.Current(setup.Home, self.Version(), time.Now()); found != nil {
		data.Notices = []*notice.Notice{found}
	}
	return data, nil
}

// checkVersion holds the running program against what the Skill needs: the embedded one, and an installed one that may
// be newer.
func checkVersion() checkResult {
	const check = "min_version"
	wanted := skillMinVersion(embeddedSkill())
	if home, err := os.UserHomeDir(); err == nil {
		path := filepath.Join(home, ".agents", "skills", about.Tool, "SKILL.md")
		if text, err := config.ReadBounded(path, 1<<20); err == nil {
			if installed := skillMinVersion(string(text)); changelog.IsVersion(installed) && changelog.Compare(installed, wanted) > 0 {
				wanted = installed
			}
		}
	}
	running := self.Version()
	if changelog.Compare(running, wanted) < 0 {
		return trouble(check, "fail", fmt.Sprintf("version %s runs and the Skill needs %s", running, wanted),
			"Run `"+about.Tool+" update`")
	}
	return pass(check, fmt.Sprintf("version %s runs, the Skill needs %s", running, wanted))
}

func checkConfig(setup *config.Config) checkResult {
	const check = "config"
	if _, err := setup.Upstream(); err != nil {
		return failing(check, err)
	}
	return pass(check, "the upstream is "+setup.BaseURL.String())
}

// checkState wants a directory that can be written and that is closed to others.
func checkState(setup *config.Config) checkResult {
	const check = "state"
	if err := setup.MakeHome(); err != nil {
		return failing(check, err)
	}
	probe, err := os.CreateTemp(setup.Home, ".doctor-*")
	if err != nil {
		return failing(check, config.WriteFault(setup.Home, err))
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	if information, err := os.Stat(setup.Home); err == nil && config.IsOpenToOthers(information) {
		return trouble(check, "warn", "others can read "+setup.Home, "Run `chmod 700 "+setup.Home+"`")
	}
	return pass(check, "state is kept in "+setup.Home)
}

func checkCredentials(app *app) checkResult {
	const check = "credentials"
	if app.tool.Anonymous {
		return pass(check, "the upstream takes no credential")
	}
	store := app.store
	credential, storage, err := store.Find()
	if err != nil {
		return failing(check, err)
	}
	if storage == credentials.None {
		return trouble(check, "fail", "there is no credential",
			"Run `"+about.Tool+" auth login`, or set "+credentials.Variables(app.tool.Keys))
	}
	login := "Run `" + about.Tool + " auth login`"
	validity := credential.Validity(time.Now())
	switch {
	case !validity.Valid && !validity.Refreshable:
		return trouble(check, "fail", "the credential has expired", login)
	case !validity.Valid:
		return trouble(check, "warn", "the credential has expired and is renewed with the next call", login+" if that fails")
	case validity.ExpiresAt != nil && time.Until(*validity.ExpiresAt) < 10*time.Minute && !validity.Refreshable:
		return trouble(check, "warn", "the credential expires at "+validity.ExpiresAt.Format(time.RFC3339), login)
	}
	if given, err := store.FromEnvironment(); err == nil && given.Token != "" && storage != credentials.Environment {
		return trouble(check, "warn", "the stored credential is used, and "+credentials.Variables(app.tool.Keys)+" is not",
			"Unset "+credentials.Variables(app.tool.Keys)+", or run `"+about.Tool+" auth logout`")
	}
	return pass(check, "the credential comes from: "+string(storage))
}

func checkUpstream(call *Call) checkResult {
	const check = "upstream"
	ctx, cancel := context.WithTimeout(call.Context, patience)
	defer cancel()
	account, err := call.app.account(ctx)
	if err != nil {
		return failing(check, err)
	}
	return pass(check, "the account is "+account.ID)
}

func checkSkill(setup *config.Config) checkResult {
	const check = "skill_current"
	report := skill.Examine(skill.Request{
		Name: about.Tool, Repository: about.Repository, Version: self.Version(), Expected: skillDigest(), State: setup.Home,
	})
	switch report.Status {
	case skill.Current:
		return pass(check, "the Agent Skill is that of this version")
	case skill.NotInstalled:
		return trouble(check, "warn", "the Agent Skill is not installed", "Run `"+report.Command+"`")
	}
	return trouble(check, "fail", "an installed Agent Skill is not that of this version", "Run `"+report.Command+"`")
}

// checkUpdate reads the cache alone; `update --check` looks for one.
func checkUpdate(setup *config.Config) checkResult {
	const check = "update"
	if found := notice.Current(setup.Home, self.Version(), time.Now()); found != nil {
		return trouble(check, "warn", found.Type+": "+found.LatestVersion, "Run `"+found.RecommendedCommand+"`")
	}
	return pass(check, "no newer version is known; `"+about.Tool+" update --check` looks for one")
}

func checkReadiness(readiness Readiness) checkResult {
	const check = "release_readiness"
	complete := readiness.FCCStatus == "verified" && readiness.MockUpstreamStatus == "verified"
	switch {
	case readiness.Level == "stable" && complete && readiness.LiveSmokeStatus == "verified":
		return pass(check, "stable")
	case readiness.Level == "beta" && complete:
		return trouble(check, "warn", "beta: "+readiness.Reason, "Record a live run in "+readiness.LiveSmokeRecordPath)
	}
	return trouble(check, "fail", readiness.Level+" without the evidence for it",
		"Close the gaps that release_readiness of `"+about.Tool+" reference` shows")
}
