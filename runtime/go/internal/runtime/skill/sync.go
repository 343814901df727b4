package skill

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aos.invalid/tool/internal/runtime/config"
)

// Limit is the longest time of all runs of the installer together.
const Limit = 180 * time.Second

// Statuses of a sync.
const (
	Synced       = "synced"
	NotInstalled = "not_installed"
	Skipped      = "skipped"
	Failed       = "failed"
	NotRun       = "not_run"
)

// Request says which Skill is to be installed.
type Request struct {
	// Name is that of the Skill, Repository owner/name, Version the release whose Skill it is.
	Name       string
	Repository string
	Version    string
	// Expected is the digest of the manifest that every copy must have; empty if it is unknown.
	Expected string
	// Files are the verified files of that manifest; nil when only the digest is known.
	Files map[string][]byte
	// Known are digests of older releases.
	Known []string
	// State is where copies of changed Skills are kept.
	State string
	Limit time.Duration
}

// Report is what a sync did.
type Report struct {
	Status  string   `json:"status"`
	Cause   string   `json:"cause,omitempty"`
	Command string   `json:"command"`
	Digest  string   `json:"digest"`
	Copies  []Copy   `json:"copies"`
	Backups []string `json:"backups"`
	// Repairs are copies that were not the signed ones, Live what agents read now.
	Repairs []Repair `json:"repairs,omitempty"`
	Live    string   `json:"live,omitempty"`
	Notes   []string `json:"notes"`
	Exit    *int     `json:"installer_exit,omitempty"`
	Said    string   `json:"installer_output,omitempty"`
	// direct: the verified files were put somewhere without the installer.
	direct bool
}

const (
	backupsName = "skill-backups"
	unfinished  = ".unfinished-"
)

// Examine looks at the installed copies and changes nothing.
func Examine(request Request) Report {
	report := request.report()
	places, ok := request.places()
	if !ok {
		return report.failed("no_home", "set HOME")
	}
	report.Copies = places.examine(request.Expected, request.Known)
	_, killed := request.loadJournal()
	switch {
	case killed:
		report.Status = Stale
	case isCurrent(report.Copies):
		report.Status = Current
	case len(report.Copies) == 0:
		report.Status = NotInstalled
	default:
		report.Status = Stale
	}
	return report
}

// Sync writes the Skill to every directory where it is installed, or to the canonical one.
func Sync(ctx context.Context, request Request) Report {
	report := Examine(request)
	if report.Status == Current || report.Status == Failed {
		return report
	}
	if request.Expected == "" {
		return report.failed("no_manifest", "the Skill of this version is not known")
	}
	places, _ := request.places()
	request.clearStages()
	if before, killed := request.loadJournal(); killed {
		report.Notes = append(report.Notes, "an earlier sync was not finished")
		report.repair(request, places, before, true)
		if len(report.Repairs) > 0 {
			return report.ended(request)
		}
		_ = os.Remove(request.journalPath())
		if isCurrent(report.Copies) {
			report.Status = Current
			return report
		}
	}
	if slices.ContainsFunc(report.Copies, func(copy Copy) bool { return copy.State == Developer }) {
		report.Notes = append(report.Notes, "an installed copy is in a git working tree, so nothing was changed")
		report.Status, report.Cause = Skipped, "developer_link"
		return report
	}
	tools := findTools(ctx)
	if tools.cause != "" && tools.cause != "interrupted" && len(report.Copies) == 0 {
		report.Notes = append(report.Notes, "the Skill was never installed here, and its installer cannot run: "+tools.fix)
		report.Status, report.Cause = NotInstalled, tools.cause
		return report
	}
	kept, err := report.keepChanges(request)
	if err != nil {
		return report.failed("backup_failed", err.Error())
	}
	before := journalOf(report.Copies, kept)
	if tools.cause != "" {
		if request.Files == nil {
			return report.failed(tools.cause, tools.fix)
		}
		report.repair(request, places, before, false)
		return report.ended(request)
	}
	if err := request.saveJournal(before); err != nil {
		return report.failed("not_written", err.Error())
	}
	return report.install(ctx, request, places, tools, before)
}

// Command is what a person can run to get the Skill. It verifies; a command of the installer would not.
func Command(request Request) string {
	return request.report().Command
}

func (r Request) places() (places, bool) {
	home, err := os.UserHomeDir()
	return places{name: r.Name, home: home}, err == nil && filepath.IsAbs(home)
}

func (r Request) report() Report {
	return Report{
		Status:  NotRun,
		Command: r.Name + " update --target-version " + r.Version,
		Digest:  r.Expected,
		Copies:  []Copy{},
		Backups: []string{},
		Notes:   []string{},
	}
}

// recognised names no agent when the installer finds some, and the canonical directory alone when it finds none.
func recognised(places places, pin pin) []string {
	if places.hasAgent(pin) {
		return nil
	}
	return []string{}
}

func (r Report) failed(cause, fix string) Report {
	r.Status, r.Cause = Failed, cause
	if fix != "" {
		r.Notes = append(r.Notes, fix)
	}
	return r
}

func (r Report) install(ctx context.Context, request Request, places places, tools tools, before journal) Report {
	deadline := time.Now().Add(request.Limit)
	targets := recognised(places, tools.pin)
	for first := true; ; first = false {
		words := arguments(tools.pin, request, targets)
		ending, err := install(ctx, tools.npx, words, time.Until(deadline))
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
			r.repair(request, places, before, true)
			if len(r.Copies) == 0 {
				_ = os.Remove(request.journalPath())
				r.Status, r.Cause = NotInstalled, "start_failed"
				return r
			}
			return r.ended(request)
		}

		r.Exit, r.Said = &ending.Exit, ending.Tail
		r.Copies = places.examine(request.Expected, request.Known)
		foreign := slices.ContainsFunc(r.Copies, func(copy Copy) bool { return request.isForeign(copy, before) })
		// Inside an agent the installer may serve this agent alone; named ones it serves.
		writers := writers(r.Copies, tools.pin)
		stopped := ending.TimedOut || ending.Interrupted
		if first && len(writers) > 0 && canonicalIsCurrent(r.Copies) && !stopped && !foreign {
			targets = writers
			continue
		}
		if ending.Exit != 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("npx ended with %d", ending.Exit))
		}
		r.repair(request, places, before, stopped)
		if len(r.Copies) == 0 && len(r.Repairs) == 0 {
			cause := cause(ending.TimedOut, ending.Interrupted, ending.Tail)
			if request.Files == nil || stopped || cause == "network" {
				// The journal stays, so that the next update continues the sync.
				return r.failed(cause, "")
			}
			_, _ = r.put(request, place{path: places.canonical(), real: places.canonical()}, request.Files, false)
		}
		return r.ended(request)
	}
}

func cause(timedOut, interrupted bool, said string) string {
	switch {
	case interrupted:
		return "interrupted"
	case timedOut:
		return "timed_out"
	case networkFault.MatchString(said):
		return "network"
	}
	return "installer_failed"
}

// ended looks for the last time.
func (r Report) ended(request Request) Report {
	places, _ := request.places()
	r.Copies = places.examine(request.Expected, request.Known)
	if r.live() != Foreign {
		// As long as foreign files are where agents read, the next sync must know them as such.
		_ = os.Remove(request.journalPath())
	}
	if r.direct {
		r.Notes = append(r.Notes, "the verified files were written without the installer")
	}
	if len(r.Repairs) > 0 {
		r.Live = r.live()
		return r.failed("verify_mismatch", "")
	}
	if isCurrent(r.Copies) {
		r.Status, r.Cause = Synced, ""
		return r
	}
	unmanaged := true
	for _, copy := range r.Copies {
		if copy.isLeftAlone() {
			r.Notes = append(r.Notes, "`"+copy.Path+"` is a copy that no installer made: move it away")
		} else if copy.State != Current && copy.State != Developer {
			unmanaged = false
		}
	}
	if unmanaged && len(r.Copies) > 0 {
		return r.failed("unmanaged_copy", "")
	}
	return r.failed("not_written", "")
}

func writers(copies []Copy, pin pin) []string {
	var names []string
	for _, copy := range copies {
		if copy.State != Current {
			names = append(names, copy.place.writers(pin)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func canonicalIsCurrent(copies []Copy) bool {
	return slices.ContainsFunc(copies, func(copy Copy) bool { return copy.place.isCanonical && copy.State == Current })
}

// keepChanges saves changed copies before anything replaces them. It returns the copies to restore after an installer
// replaced them: those where no installer writes, and all of them if the verified files are unknown.
func (r *Report) keepChanges(request Request) (map[string]string, error) {
	back := map[string]string{}
	for _, copy := range r.Copies {
		if copy.State == Unreadable {
			if copy.isLeftAlone() {
				continue
			}
			return nil, fmt.Errorf("`%s` cannot be read, so it cannot be backed up", copy.Path)
		}
		if copy.State != Modified && request.Files != nil {
			continue
		}
		if copy.State == Developer {
			continue
		}
		kept, err := keep(copy.place.real, request)
		if err != nil {
			return nil, fmt.Errorf("`%s` was changed and cannot be backed up: %w", copy.Path, err)
		}
		if copy.isLeftAlone() || request.Files == nil {
			back[copy.Path] = kept
		}
		if copy.State == Modified && !copy.isLeftAlone() {
			r.Backups = append(r.Backups, kept)
		}
	}
	return back, nil
}

// keep copies a Skill into a directory that is named after its content.
func keep(directory string, request Request) (string, error) {
	files, err := read(directory)
	if err != nil {
		return "", err
	}
	parent := filepath.Join(request.State, backupsName)
	target := filepath.Join(parent, request.Name+"-"+Of(files).Digest()[:16])
	if _, err := os.Lstat(target); err == nil {
		return target, nil
	}
	staged := filepath.Join(parent, unfinished+unique())
	for name, content := range files {
		if err := config.WritePrivate(filepath.Join(staged, filepath.FromSlash(name)), content); err != nil {
			_ = os.RemoveAll(staged)
			return "", err
		}
	}
	if err := os.Rename(staged, target); err != nil {
		_ = os.RemoveAll(staged)
		return "", err
	}
	return target, nil
}
