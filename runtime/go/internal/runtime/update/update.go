// Package update brings the program and its Agent Skill to another version in one call.
//
// discover, download, verify_signature, verify_checksum, replace, skill_sync: everything before the swap happens beside
// the installed program, the swap is one rename, and only a release that the release workflow of this repository
// signed can get that far. internal/runtime/README.md says what a release must look like.
package update

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/lock"
	"aos.invalid/tool/internal/runtime/notice"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/skill"
)

// Statuses of an answer.
const (
	statusUpdated   = "updated"
	statusCurrent   = "current"
	statusAvailable = "available"
	statusPlanned   = "planned"
)

// Statuses of a signature.
const (
	verified   = "verified"
	notChecked = "not_checked"
)

// Options are what a caller asks for.
type Options struct {
	Check          bool
	DryRun         bool
	Target         string
	AllowDowngrade bool
}

// Updater updates this program.
type Updater struct {
	// Home is the directory of state.
	Home string
	// SkillDigest is the digest of the Skill that belongs to the running program.
	SkillDigest string
	// SkillFiles are the files of that Skill.
	SkillFiles map[string][]byte
	// Note reports progress to a person.
	Note func(format string, values ...any)
	Now  func() time.Time
}

// run is one update.
type run struct {
	*Updater
	options      Options
	host         *host
	executable   *executable
	installation installation
	state        *state
}

// Run does what the options ask for.
func (u *Updater) Run(ctx context.Context, options Options) (any, error) {
	state := &state{
		stage: stageDiscover, previous: self.Version(), current: self.Version(), replaced: false, skill: skill.NotRun,
	}
	answer, err := u.prepare(ctx, options, state)
	if err != nil && ctx.Err() != nil {
		cancelled := fault.Cancelled()
		if command := fault.From(err).Detail("skill_sync_command"); command != nil {
			cancelled.With("skill_sync_command", command)
		}
		var located *staged
		if errors.As(err, &located) {
			err = &staged{located.stage, cancelled}
		} else {
			err = cancelled
		}
	}
	if err != nil {
		return nil, state.fail(err)
	}
	return answer, nil
}

func (u *Updater) prepare(ctx context.Context, options Options, state *state) (any, error) {
	options.Target = strings.TrimPrefix(options.Target, "v")
	if options.Target != "" && !changelog.IsVersion(options.Target) {
		return nil, fault.New(fault.Validation, "--target-version is not a version").WithFix("Write it as 1.2.3")
	}
	state.target = options.Target
	if options.Target != "" && changelog.Compare(options.Target, self.Version()) < 0 && !options.AllowDowngrade {
		return nil, fault.New(fault.Validation, "%s is older than the running version %s", options.Target, self.Version()).
			WithFix("Add --allow-downgrade if you want the older version")
	}
	executable, err := findExecutable()
	if err != nil {
		return nil, err
	}
	host, err := newHost(u.Now)
	if err != nil {
		return nil, err
	}
	defer host.client.CloseIdleConnections()
	run := &run{u, options, host, executable, detect(executable.path), state}
	if options.Check {
		return run.check(ctx)
	}
	if !options.DryRun {
		held, err := run.lock()
		if err != nil {
			return nil, at(stageReplace, err)
		}
		defer held.Free()
		run.executable.sweep()
	}
	return run.update(ctx)
}

// lock keeps two updates of one program apart.
func (r *run) lock() (*lock.Lock, error) {
	path := filepath.Join(r.Home, "update.lock")
	held, err := lock.Try(path)
	if errors.Is(err, lock.ErrHeld) {
		failed := fault.New(fault.Conflict, "another update is running").WithFix("Wait until it ends, then check the version")
		if text, err := config.ReadBounded(path, 64); err == nil {
			if holder, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				failed.With("holder_pid", holder)
			}
		}
		return nil, failed
	}
	if err != nil {
		return nil, localFault(path, err)
	}
	held.Describe()
	return held, nil
}

func (r *run) update(ctx context.Context) (any, error) {
	if r.options.Target == self.Version() {
		return r.stay(ctx, nil)
	}
	checkpoint(ctx, stageDiscover)
	release, err := r.host.find(ctx, r.options.Target)
	if err != nil {
		return nil, err
	}
	r.state.target = release.version
	seen := notice.Read(r.Home)
	if r.options.Target == "" {
		if warning := r.warning(release, seen); warning != nil {
			r.remember(release, warning)
			return r.stay(ctx, warning)
		}
	}
	if release.version == self.Version() {
		return r.stay(ctx, nil)
	}
	if !r.installation.managed() {
		if err := release.complete(); err != nil {
			return nil, err
		}
	}
	if r.options.DryRun {
		return r.plan(release), nil
	}
	var answer *Answer
	var expected string
	var files map[string][]byte
	if r.installation.managed() {
		answer, expected, err = r.drive(ctx, release)
	} else {
		answer, files, err = r.replace(ctx, release)
		expected = skill.Of(files).Digest()
	}
	if err != nil {
		return nil, err
	}
	if err := notice.Clear(r.Home); err != nil {
		r.Note("warning: the cached notice cannot be removed: %v", err)
	}
	r.state.stage = stageSkillSync
	r.Note("syncing the Agent Skill")
	checkpoint(ctx, stageSkillSync)
	request := r.skill(release.version, expected)
	request.Files = files
	return r.finish(ctx, answer, skill.Sync(ctx, request))
}

// stay is the answer when there is nothing to install: no manager runs, nothing is downloaded.
func (r *run) stay(ctx context.Context, warning *notice.Notice) (any, error) {
	current := self.Version()
	r.state.target = current
	answer := &Answer{
		Status:          statusCurrent,
		PreviousVersion: current,
		CurrentVersion:  current,
		TargetVersion:   current,
		InstallMethod:   r.installation.method,
		SignatureStatus: notChecked,
	}
	if warning != nil {
		answer.RemoteVersion = warning.LatestVersion
		answer.Notices = []*notice.Notice{warning}
	} else if !r.options.DryRun {
		if err := notice.Clear(r.Home); err != nil {
			r.Note("warning: the cached notice cannot be removed: %v", err)
		}
	}
	r.state.stage = stageSkillSync
	request := r.skill(current, r.SkillDigest)
	request.Files = r.SkillFiles
	report := skill.Examine(request)
	// A user without a copy of the Skill did not ask for one.
	if report.Status == skill.Stale && !r.options.DryRun {
		report = skill.Sync(ctx, request)
	}
	return r.finish(ctx, answer, report)
}

// finish adds the Skill to an answer; without it a new program is a partial result.
func (r *run) finish(_ context.Context, answer *Answer, report skill.Report) (any, error) {
	r.state.skill = report.Status
	r.state.command = report.Command
	if report.Status == skill.Failed {
		return nil, at(stageSkillSync, skillFault(report))
	}
	answer.SkillSyncStatus = report.Status
	answer.SkillSyncCommand = report.Command
	answer.Skill = &report
	if answer.Status == statusUpdated {
		answer.NextStep = about.Tool + " changelog --since " + answer.PreviousVersion
	}
	return answer, nil
}

func (r *run) skill(version, expected string) skill.Request {
	return skill.Request{
		Name:       about.Tool,
		Repository: about.Repository,
		Version:    version,
		Expected:   expected,
		Known:      []string{r.SkillDigest},
		State:      r.Home,
		Limit:      patience(skill.Limit),
	}
}

// replace downloads, verifies and swaps.
func (r *run) replace(ctx context.Context, release *release) (*Answer, map[string][]byte, error) {
	if err := r.executable.probe(); err != nil {
		return nil, nil, at(stageReplace, err)
	}
	if err := r.enter(ctx, stageDownload); err != nil {
		return nil, nil, err
	}
	directory, err := os.MkdirTemp("", about.Tool+"-update-*")
	if err != nil {
		return nil, nil, localFault(os.TempDir(), err)
	}
	defer func() { _ = os.RemoveAll(directory) }()
	r.Note("downloading %s", archiveName(release.version))
	archive := filepath.Join(directory, "archive")
	sums, signature, err := r.signed(ctx, release)
	if err != nil {
		return nil, nil, err
	}
	if err := r.host.download(ctx, release, archiveName(release.version), archive); err != nil {
		return nil, nil, err
	}

	if err := r.enter(ctx, stageVerifySignature); err != nil {
		return nil, nil, err
	}
	proof, err := verifySignature(sums, signature, release.version, r.Now())
	if err != nil {
		return nil, nil, err
	}

	if err := r.enter(ctx, stageVerifyChecksum); err != nil {
		return nil, nil, err
	}
	digest, err := verifyArchive(sums, archive, archiveName(release.version))
	if err != nil {
		return nil, nil, err
	}

	if err := r.enter(ctx, stageReplace); err != nil {
		return nil, nil, err
	}
	content, err := r.put(ctx, archive, release.version)
	if err != nil {
		return nil, nil, err
	}
	answer := &Answer{
		Status:            statusUpdated,
		PreviousVersion:   r.state.previous,
		CurrentVersion:    r.state.current,
		TargetVersion:     release.version,
		InstallMethod:     r.installation.method,
		SignatureVerified: true,
		SignatureStatus:   verified,
		ChecksumVerified:  true,
		BinaryReplaced:    true,
		ArchiveSHA256:     digest,
		SignerIdentity:    proof.identity,
		LogIndex:          &proof.logIndex,
		ReleaseURL:        release.page,
	}
	answer.Severity = severity(r.state.previous, release.version, content.changelog)
	return answer, skill.Parts(content.skill), nil
}

// enter begins a stage, unless a signal came.
func (r *run) enter(ctx context.Context, stage string) error {
	r.state.stage = stage
	checkpoint(ctx, stage)
	if ctx.Err() != nil {
		return fault.Cancelled()
	}
	return nil
}

// signed downloads the list of checksums and its signature.
func (r *run) signed(ctx context.Context, release *release) (sums, signature []byte, err error) {
	if sums, err = r.host.text(ctx, release, checksumsName, maxChecksums); err != nil {
		return nil, nil, err
	}
	signature, err = r.host.text(ctx, release, bundleName, maxBundle)
	if err != nil && fault.From(err).Code == fault.NotFound {
		err = at(stageVerifySignature, integrity("the release v%s lists %s, but does not have it", release.version, bundleName))
	}
	return sums, signature, err
}

func verifyArchive(sums []byte, archive, name string) (string, error) {
	list, err := parseChecksums(sums)
	if err != nil {
		return "", err
	}
	expected, err := list.of(name)
	if err != nil {
		return "", err
	}
	found, err := digestOf(archive)
	if err != nil {
		return "", localFault(archive, err)
	}
	if found != expected {
		return "", integrity("`%s` is not the file that was signed: its SHA-256 differs", name)
	}
	return found, nil
}

// put unpacks the new program beside the old one, sees that it runs, and swaps them.
func (r *run) put(ctx context.Context, archive, version string) (*content, error) {
	staged := r.executable.stagingPath(stagedSuffix)
	defer func() { _ = os.Remove(staged) }()
	content, err := unpack(archive, staged)
	if err != nil {
		return nil, err
	}
	if err := r.executable.stage(staged); err != nil {
		return nil, err
	}
	reported, err := versionOf(ctx, staged)
	if err != nil {
		return nil, err
	}
	if reported != version {
		return nil, integrity("the new program reports version %s, not %s", reported, version)
	}
	digest, err := digestOf(staged)
	if err != nil {
		return nil, localFault(staged, err)
	}
	if ctx.Err() != nil {
		return nil, fault.Cancelled()
	}
	r.Note("replacing %s", r.executable.path)
	checkpoint(ctx, "swap")
	err = r.executable.swap(staged)
	checkpoint(ctx, "swapped")
	if holds(r.executable.path, digest) {
		// The files on the disk count, not the result of a call.
		r.state.replaced, r.state.current = true, reported
		r.state.command = skill.Command(r.skill(version, ""))
		return content, nil
	}
	if err == nil {
		err = fault.New(fault.IO, "`%s` is not the new program after the swap", r.executable.path).
			WithFix("Check which program is there, then run the update again")
		r.state.replaced = nil
	}
	if fault.From(err).Detail("rollback_failed") != nil {
		r.state.replaced = nil
	}
	return nil, err
}

// drive lets the manager that owns the program do the work.
func (r *run) drive(ctx context.Context, release *release) (*Answer, string, error) {
	r.state.stage = stageReplace
	r.Note("running %s", r.installation.command(release.version))
	installed, err := r.installation.drive(ctx, r.executable.path, release.version, r.options.Target == "")
	if installed != "" && installed != r.state.previous {
		r.state.replaced, r.state.current = true, installed
		r.state.command = skill.Command(r.skill(installed, ""))
	}
	if err != nil {
		return nil, "", err
	}
	answer := &Answer{
		Status:          statusUpdated,
		PreviousVersion: r.state.previous,
		CurrentVersion:  installed,
		TargetVersion:   release.version,
		InstallMethod:   r.installation.method,
		SignatureStatus: notChecked,
		BinaryReplaced:  true,
		ReleaseURL:      release.page,
		Severity:        severity(r.state.previous, release.version, ""),
	}
	return answer, skillDigest(ctx, r.executable.path), nil
}
