package update

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/notice"
	"aos.invalid/tool/internal/runtime/process"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/skill"
)

// Answer is the result of an update, of a check and of a dry run; what does not apply is left out.
type Answer struct {
	Status            string           `json:"status"`
	PreviousVersion   string           `json:"previous_version"`
	CurrentVersion    string           `json:"current_version"`
	TargetVersion     string           `json:"target_version"`
	UpdateAvailable   bool             `json:"update_available"`
	InstallMethod     string           `json:"install_method"`
	Command           string           `json:"command,omitempty"`
	SignatureVerified bool             `json:"signature_verified"`
	SignatureStatus   string           `json:"signature_status"`
	ChecksumVerified  bool             `json:"checksum_verified"`
	BinaryReplaced    bool             `json:"binary_replaced"`
	ArchiveSHA256     string           `json:"archive_sha256,omitempty"`
	SignerIdentity    string           `json:"signer_identity,omitempty"`
	LogIndex          *int64           `json:"log_index,omitempty"`
	Severity          string           `json:"severity,omitempty"`
	ReleaseURL        string           `json:"release_url,omitempty"`
	RemoteVersion     string           `json:"remote_version,omitempty"`
	Release           *Contents        `json:"release,omitempty"`
	SkillSyncStatus   string           `json:"skill_sync_status"`
	SkillSyncCommand  string           `json:"skill_sync_command"`
	Skill             *skill.Report    `json:"skill,omitempty"`
	Plan              *Plan            `json:"plan,omitempty"`
	Notices           []*notice.Notice `json:"notices,omitempty"`
	NextStep          string           `json:"next_step,omitempty"`
}

// Contents is what a release has to offer; nothing of it is verified yet.
type Contents struct {
	Signed          bool `json:"signed"`
	HasChecksums    bool `json:"has_checksums"`
	HasThisPlatform bool `json:"has_this_platform"`
	HasSkill        bool `json:"has_skill"`
}

// Plan is what an update would do.
type Plan struct {
	Replaces       string `json:"replaces"`
	Archive        string `json:"archive"`
	SignerIdentity string `json:"signer_identity"`
	SignerIssuer   string `json:"signer_issuer"`
	ManagerCommand string `json:"manager_command"`
	SkillCommand   string `json:"skill_command"`
}

// check asks for the newest release and changes nothing but the cache of notices.
func (r *run) check(ctx context.Context) (any, error) {
	checkpoint(ctx, stageDiscover)
	release, err := r.host.find(ctx, r.options.Target)
	if err != nil {
		failed := fault.From(err)
		if failed.Retryable() {
			failed.With("last_known", r.lastKnown())
		}
		return nil, failed
	}
	current := self.Version()
	r.state.target = release.version
	seen := notice.Read(r.Home)
	answer := r.describe(release)
	switch found := r.warning(release, seen); {
	case found != nil && r.options.Target == "":
		answer.Notices = []*notice.Notice{found}
		answer.UpdateAvailable = false
		answer.TargetVersion, answer.RemoteVersion = current, release.version
		r.remember(release, found)
	case answer.UpdateAvailable:
		answer.Severity = r.severity(ctx, release)
		available := r.notice(notice.UpdateAvailable, answer.Severity, release)
		answer.Notices = []*notice.Notice{available}
		answer.Status = statusAvailable
		r.remember(release, available)
	default:
		r.remember(release, nil)
	}
	return answer, nil
}

// describe is what a check and a dry run have in common.
func (r *run) describe(release *release) *Answer {
	current := self.Version()
	return &Answer{
		Status:          statusCurrent,
		PreviousVersion: current,
		CurrentVersion:  current,
		TargetVersion:   release.version,
		UpdateAvailable: changelog.Compare(release.version, current) > 0,
		InstallMethod:   r.installation.method,
		Command:         r.installation.command(release.version),
		SignatureStatus: notChecked,
		ReleaseURL:      release.page,
		Release: &Contents{
			Signed:          release.has(bundleName),
			HasChecksums:    release.has(checksumsName),
			HasThisPlatform: release.has(archiveName(release.version)),
			// Each release has the Skill: it is part of the repository and of the archives.
			HasSkill: true,
		},
		SkillSyncStatus:  skill.NotRun,
		SkillSyncCommand: skill.Command(r.skill(release.version, "")),
	}
}

func (r *run) plan(release *release) *Answer {
	answer := r.describe(release)
	answer.Status = statusPlanned
	answer.Plan = &Plan{Replaces: r.executable.path, SkillCommand: answer.SkillSyncCommand}
	if r.installation.managed() {
		answer.Plan.ManagerCommand = answer.Command
	} else {
		answer.Plan.Archive = archiveName(release.version)
		answer.Plan.SignerIdentity = signer(release.version)
		answer.Plan.SignerIssuer = issuer
	}
	return answer
}

// warning is what is strange about the newest release: older than what runs, or than what was seen before.
func (r *run) warning(release *release, seen notice.Cache) *notice.Notice {
	switch {
	case changelog.Compare(release.version, self.Version()) < 0:
		return r.notice(notice.RemoteOlder, notice.Warning, release)
	case seen.Highest != "" && changelog.Compare(release.version, seen.Highest) < 0:
		return r.notice(notice.PossibleFreeze, notice.Warning, release)
	}
	return nil
}

func (r *run) notice(kind, severity string, release *release) *notice.Notice {
	steps := []string{
		about.Tool + " update",
		about.Tool + " changelog --since " + self.Version(),
	}
	if kind != notice.UpdateAvailable {
		steps = []string{"compare with https://github.com/" + about.Repository + "/releases"}
	}
	return &notice.Notice{
		Type:               kind,
		Severity:           severity,
		CurrentVersion:     self.Version(),
		LatestVersion:      release.version,
		InstallMethod:      r.installation.method,
		RecommendedCommand: about.Tool + " update",
		ReleaseURL:         release.page,
		CheckedAt:          r.Now().UTC().Format(time.RFC3339),
		NextSteps:          steps,
	}
}

// remember writes the cache; an update does not fail for it.
func (r *run) remember(release *release, found *notice.Notice) {
	seen := notice.Read(r.Home)
	cache := notice.Cache{
		Highest: seen.Highest, CheckedAt: r.Now().UTC().Format(time.RFC3339), Target: release.version, Notice: found,
	}
	if r.options.Target == "" && (cache.Highest == "" || changelog.Compare(release.version, cache.Highest) > 0) {
		cache.Highest = release.version
	}
	if err := notice.Write(r.Home, cache); err != nil {
		r.Note("warning: the result of the check cannot be stored: %v", err)
	}
}

func (r *run) lastKnown() any {
	cache := notice.Read(r.Home)
	if cache.CheckedAt == "" || !changelog.IsVersion(cache.Target) {
		return nil
	}
	return map[string]any{
		"target_version":   cache.Target,
		"update_available": changelog.Compare(cache.Target, self.Version()) > 0,
		"checked_at":       cache.CheckedAt,
	}
}

// severity takes the changes from the signed changelog of the release when it has one, else from the numbers alone.
func (r *run) severity(ctx context.Context, release *release) string {
	numbers := severity(self.Version(), release.version, "")
	if numbers == notice.Warning || !release.has(changelogRef) || !release.has(checksumsName) || !release.has(bundleName) {
		return numbers
	}
	markdown, err := r.changelog(ctx, release)
	if err != nil {
		r.Note("warning: the changelog of the release is ignored: %v", err)
		return numbers
	}
	return severity(self.Version(), release.version, markdown)
}

func (r *run) changelog(ctx context.Context, release *release) (string, error) {
	sums, signature, err := r.signed(ctx, release)
	if err != nil {
		return "", err
	}
	if _, err := verifySignature(sums, signature, release.version, r.Now()); err != nil {
		return "", err
	}
	markdown, err := r.host.text(ctx, release, changelogRef, maxText)
	if err != nil {
		return "", err
	}
	list, err := parseChecksums(sums)
	if err != nil {
		return "", err
	}
	expected, err := list.of(changelogRef)
	if err == nil && digestOfText(markdown) != expected {
		err = integrity("`%s` is not the file that was signed", changelogRef)
	}
	return string(markdown), err
}

func severity(from, to, markdown string) string {
	if changelog.IsMajor(from, to) || changelog.HasSecurity(changelog.Parse(markdown), from, to) {
		return notice.Warning
	}
	return notice.Info
}

// skillDigest asks the program that a manager installed which Skill belongs to it.
func skillDigest(ctx context.Context, path string) string {
	ending, err := process.Run(ctx, process.Command{
		Program: path, Arguments: []string{"context", "--compact", "--fields", "skill", "--quiet"}, Directory: os.TempDir(),
		Limit: patience(startLimit),
	})
	var document struct {
		Data struct {
			Skill struct {
				Digest string `json:"digest"`
			} `json:"skill"`
		} `json:"data"`
	}
	if err != nil || json.Unmarshal([]byte(strings.TrimSpace(ending.Tail)), &document) != nil {
		return ""
	}
	return document.Data.Skill.Digest
}
