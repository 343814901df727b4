package cli

import (
	"encoding/json"
	"strings"
	"time"

	repository "aos.invalid/tool"
	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/notice"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/skill"
	"aos.invalid/tool/internal/runtime/update"
)

func selfCommands() []*Command {
	return []*Command{
		{
			Path:     "reference",
			Summary:  "Describe all commands, schemas and codes for programs",
			Output:   "reference",
			Examples: []string{"reference --compact"},
			Run:      func(call *Call) (any, error) { return call.app.tool.reference(), nil },
		},
		{
			Path:     "context",
			Summary:  "Show the current configuration; uses no network",
			Output:   "context",
			Examples: []string{"context"},
			Run:      runContext,
		},
		{
			Path:     "doctor",
			Summary:  "Check the configuration, and show a fix for each problem",
			Output:   "doctor",
			Examples: []string{"doctor"},
			Run:      runDoctor,
		},
		{
			Path:     "changelog",
			Summary:  "Show what changed between versions",
			Params:   []Param{{Name: "since", Kind: Text, Help: "Show only versions newer than this one"}},
			Output:   "changelog",
			Examples: []string{"changelog", "changelog --since 0.9.0"},
			Run:      runChangelog,
		},
		{
			Path:    "update",
			Summary: "Update the program and its Agent Skill",
			Detail: "Verifies the Sigstore signature of the release, replaces the program and syncs the Skill, in one call and " +
				"without a token.",
			Params: []Param{
				{Name: "check", Kind: Flag, Help: "Check whether there is a newer version, without changing anything"},
				{Name: "dry-run", Kind: Flag, Help: "Show what would be done, without doing it"},
				{Name: "target-version", Kind: Text, Help: "Version to install; the default is the newest"},
				{Name: "allow-downgrade", Kind: Flag, Help: "Allow --target-version to name an older version"},
			},
			Output:   "update",
			Confirm:  Exempt,
			Examples: []string{"update --check", "update --dry-run", "update"},
			Run:      runUpdate,
		},
	}
}

// contextData is the set-up in effect.
type contextData struct {
	Tool        string            `json:"tool"`
	Version     string            `json:"version"`
	Env         string            `json:"env"`
	Account     *string           `json:"account"`
	Config      contextConfig     `json:"config"`
	Credentials contextCredential `json:"credentials"`
	Skill       contextSkill      `json:"skill"`
	Notices     []*notice.Notice  `json:"notices,omitempty"`
}

type contextConfig struct {
	Home     string  `json:"home"`
	BaseURL  *string `json:"base_url"`
	TimeoutS int     `json:"timeout_s"`
	Problem  *string `json:"problem"`
}

type contextCredential struct {
	Configured bool                `json:"configured"`
	Storage    credentials.Storage `json:"storage"`
	// Only in a tool whose credential expires.
	*contextValidity
}

// contextValidity is computed from the stored credential, without a request.
type contextValidity struct {
	Valid       bool    `json:"valid"`
	Refreshable bool    `json:"refreshable"`
	ExpiresAt   *string `json:"expires_at"`
}

type contextSkill struct {
	Name       string `json:"name"`
	Digest     string `json:"digest"`
	MinVersion string `json:"min_version"`
}

func runContext(call *Call) (any, error) {
	setup := call.app.config
	data := contextData{Tool: about.Tool, Version: self.Version(), Env: environment(setup)}
	data.Config = contextConfig{Home: setup.Home, TimeoutS: int(setup.Timeout.Seconds())}
	if setup.BaseURL != nil {
		address := setup.BaseURL.String()
		data.Config.BaseURL = &address
	}
	if setup.Problem != nil {
		data.Config.Problem = &setup.Problem.Message
	}
	credential, storage := credentials.Credential{}, credentials.None
	if !call.app.tool.Anonymous {
		var err error
		if credential, storage, err = call.app.store.Find(); err != nil {
			storage = credentials.None
			data.Config.Problem = &fault.From(err).Message
		}
	}
	// The account is known after `auth login`, but not for a credential in the environment.
	if credential.Account != "" {
		data.Account = &credential.Account
	}
	data.Credentials = contextCredential{Configured: storage != credentials.None, Storage: storage}
	if call.app.store.Expires() {
		data.Credentials.contextValidity = describeValidity(credential, data.Credentials.Configured)
	}
	data.Skill = contextSkill{Name: about.Tool, Digest: skillDigest(), MinVersion: skillMinVersion(embeddedSkill())}
	if found := notice.Current(setup.Home, self.Version(), time.Now()); found != nil {
		data.Notices = []*notice.Notice{found}
	}
	return data, nil
}

func describeValidity(credential credentials.Credential, configured bool) *contextValidity {
	described := &contextValidity{}
	if !configured {
		return described
	}
	validity := credential.Validity(time.Now())
	described.Valid, described.Refreshable = validity.Valid, validity.Refreshable
	if validity.ExpiresAt != nil {
		expires := validity.ExpiresAt.Format(time.RFC3339)
		described.ExpiresAt = &expires
	}
	return described
}

// environment distinguishes the mock on this machine from every other upstream.
func environment(setup *config.Config) string {
	switch {
	case setup.BaseURL == nil:
		return "unconfigured"
	case config.IsLoopback(setup.BaseURL.Hostname()):
		return "local"
	}
	return "remote"
}

// changelogData is the history of the tool.
type changelogData struct {
	CurrentVersion string            `json:"current_version"`
	Since          *string           `json:"since,omitempty"`
	Entries        []changelog.Entry `json:"entries"`
}

func runChangelog(call *Call) (any, error) {
	entries := changelog.Parse(repository.ChangelogMarkdown)
	data := changelogData{CurrentVersion: self.Version(), Entries: entries}
	if call.Given("since") {
		since := strings.TrimPrefix(call.Text("since"), "v")
		if !changelog.IsVersion(since) {
			return nil, fault.New(fault.Validation, "--since is not a version").WithFix("Write it as 1.2.3")
		}
		data.Since, data.Entries = &since, changelog.Since(entries, since)
	}
	return data, nil
}

func runUpdate(call *Call) (any, error) {
	if call.Flag("check") && call.Flag("dry-run") {
		return nil, fault.New(fault.Usage, "--check and --dry-run exclude each other").WithFix("Omit one of them")
	}
	updater := &update.Updater{
		Home:        call.app.config.Home,
		SkillDigest: skillDigest(),
		SkillFiles:  skillFiles(),
		Note:        call.Printer().Note,
		Now:         time.Now,
	}
	answer, err := updater.Run(call.Context, update.Options{
		Check:          call.Flag("check"),
		DryRun:         call.Flag("dry-run"),
		Target:         call.Text("target-version"),
		AllowDowngrade: call.Flag("allow-downgrade"),
	})
	if err == nil {
		// Earlier notices are out of date by now, or part of the answer itself.
		call.Printer().Notices = call.app.notices()
	}
	return answer, err
}

// skillDigest is the digest of the Skill that belongs to this program.
func skillDigest() string {
	manifest, err := skill.OfTree(repository.Skills, "skills/"+about.Tool)
	if err != nil {
		return ""
	}
	return manifest.Digest()
}

// skillFiles are the files of that Skill.
func skillFiles() map[string][]byte {
	files, err := skill.FilesOf(repository.Skills, "skills/"+about.Tool)
	if err != nil {
		return nil
	}
	return files
}

func embeddedSkill() string {
	text, err := repository.Skills.ReadFile("skills/" + about.Tool + "/SKILL.md")
	if err != nil {
		return ""
	}
	return string(text)
}

// skillMinVersion reads the lowest version that a Skill works with from the metadata line of its head.
func skillMinVersion(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		value, found := strings.CutPrefix(strings.TrimSpace(line), "metadata:")
		if !found {
			continue
		}
		var metadata struct {
			Requires struct {
				MinVersion string `json:"min_version"`
			} `json:"requires"`
		}
		if json.Unmarshal([]byte(value), &metadata) == nil {
			return metadata.Requires.MinVersion
		}
	}
	return ""
}
