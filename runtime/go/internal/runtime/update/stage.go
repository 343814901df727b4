package update

import (
	"errors"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/skill"
)

// Stages of an update, in their order.
const (
	stageDiscover        = "discover"
	stageDownload        = "download"
	stageVerifySignature = "verify_signature"
	stageVerifyChecksum  = "verify_checksum"
	stageReplace         = "replace"
	stageSkillSync       = "skill_sync"
)

// staged is a fault and where it happened.
type staged struct {
	stage string
	fault *fault.Error
}

func (s *staged) Error() string {
	return s.fault.Error()
}

func (s *staged) Unwrap() error {
	return s.fault
}

// at says where an error happened.
func at(stage string, err error) error {
	return &staged{stage: stage, fault: fault.From(err)}
}

// integrity is a release that must not be installed.
func integrity(format string, values ...any) *fault.Error {
	return fault.New(fault.Integrity, format, values...)
}

// state is what is true at a moment of an update.
type state struct {
	stage    string
	previous string
	current  string
	target   string
	replaced any
	skill    string
	command  string
}

// fail completes a fault: where it happened, what is installed now, and what to do next.
func (s *state) fail(err error) error {
	failed := fault.From(err)
	stage := s.stage
	var located *staged
	if errors.As(err, &located) {
		stage = located.stage
	}
	failed.With("stage", stage).
		With("current_version", s.current).
		With("binary_replaced", s.replaced).
		With("skill_sync_status", s.skill)
	if s.target != "" {
		failed.With("target_version", s.target)
	}
	failed.Message = s.sentence(failed, stage)
	switch {
	case failed.Code == fault.Integrity:
		failed.Fix = "Do not try again; stop, and report this to the maintainers of " + about.Repository
	case failed.Code == fault.Interrupted && s.replaced == false:
		failed.Fix = "Run `" + about.Tool + " update` again when you are ready"
	case failed.Fix == "" && failed.Retryable():
		failed.Fix = "Wait a moment, then run `" + about.Tool + " update` again"
	}
	return failed
}

func (s *state) sentence(failed *fault.Error, stage string) string {
	running := about.Tool + " " + s.current + " is still installed"
	if stage == stageReplace && s.replaced == nil {
		running = "look at details to see what is installed"
	}
	switch {
	case s.replaced == true:
		return failed.Message + "; the program is now at " + s.current + ", run `" + s.command + "`, then `" +
			about.Tool + " changelog --since " + s.previous + "`"
	case failed.Code == fault.Interrupted:
		return "the update was cancelled, nothing was changed, " + running
	case failed.Code == fault.Integrity:
		return failed.Message + "; this is an integrity failure, do not try again, stop and report it; " + running
	case failed.Retryable():
		return failed.Message + "; this was transient, `" + about.Tool + " update` can safely be run again; " + running
	}
	return failed.Message + "; " + running
}

// skillFault is the partial result of an update whose Skill could not be synced.
func skillFault(report skill.Report) *fault.Error {
	code := fault.SkillSync
	message := "the Agent Skill could not be synced (" + report.Cause + ")"
	// A cause that never passes by itself is not retryable.
	switch report.Cause {
	case "verify_mismatch":
		code = fault.Integrity
		message = "the Agent Skill that was installed is not the signed one, agents now read: " + report.Live +
			"; do not try again, report it"
	case "backup_failed", "not_written":
		code = fault.IO
	case "network", "installer_failed":
	case "interrupted":
		code, message = fault.Interrupted, "the sync of the Agent Skill was interrupted"
	case "timed_out":
		code = fault.Timeout
	default:
		code = fault.Config
	}
	fix := "Run `" + report.Command + "`"
	switch {
	case report.Live == skill.Foreign:
		fix = "Remove the directories in details.skill.repairs and report them, then run `" + report.Command + "`"
	case code == fault.Integrity:
		fix = "Report it to the publisher; nothing has to be installed, and details.skill.repairs says what was found"
	case code == fault.Config || code == fault.IO:
		fix = "Do what details.skill.notes says, then run `" + report.Command + "`"
	}
	failed := fault.New(code, "%s", message).WithFix("%s", fix).
		With("skill_sync_command", report.Command).
		With("cause", report.Cause).
		With("skill", report)
	return failed
}
