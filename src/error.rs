//! The one place that turns the errors of every module into code, message, hint and details.

pub mod own_template;
mod release;
mod update;
mod verify;

use crate::apply::ApplyError;
use crate::inputs::answers::AnswerError;
use crate::inputs::baseline::BaselineError;
use crate::inputs::desired::DesiredError;
use crate::inputs::desired_runtime::RuntimeFault;
use crate::inputs::embedded::EmbeddedError;
use crate::inputs::fleet::FleetError;
use crate::inputs::fleet_file::FleetFileError;
use crate::inputs::project::ProjectError;
use crate::inputs::spec_source::SpecError;
use crate::plan::confirmation::TokenError;
use crate::release::{Fault, ReleaseError};
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::interrupt::Interrupted;
use crate::system::machine_secret::SecretError;

/// The code of an I/O error: what the caller can do about it.
#[must_use]
pub fn io_code(error: &std::io::Error) -> ErrorCode {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            ErrorCode::Forbidden
        }
        _ => ErrorCode::Io,
    }
}

/// The code of an I/O error about a path that the caller gave to be read.
#[must_use]
pub fn source_code(error: &std::io::Error) -> ErrorCode {
    match error.kind() {
        std::io::ErrorKind::NotFound => ErrorCode::NotFound,
        _ => io_code(error),
    }
}

/// How to fix an I/O error.
#[must_use]
pub fn io_hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "give this user the permission, or run aos in a directory for which it has the permission"
        }
        std::io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is read-only; run aos on a writable one"
        }
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "free some disk space, then run the command again"
        }
        _ => "fix the cause, then run the command again",
    }
}

impl From<Interrupted> for Failure {
    fn from(_: Interrupted) -> Self {
        Self::new(ErrorCode::Interrupted, "interrupted by a signal; no file is half-written")
            .hint("run the same command again")
    }
}

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        match error {
            ApplyError::Obstacle { path, .. } => {
                Self::new(ErrorCode::Conflict, message).hint(format!(
                    "remove `{path}` or replace it with a plain file, then run the command again; nothing was changed"
                ))
            }
            ApplyError::Stale { .. } => Self::new(ErrorCode::Conflict, message)
                .hint("run the command again to see the current state; nothing was changed"),
            ApplyError::ReadOnly { path } => {
                Self::new(ErrorCode::Forbidden, message).hint(format!(
                    "make it writable (`chmod u+w {path}`), then run the command again; nothing was changed"
                ))
            }
            ApplyError::Busy { .. } => Self::new(ErrorCode::Conflict, message)
                .hint("wait until it ends, then run the command again; nothing was changed"),
            ApplyError::TargetExists { .. } => Self::new(ErrorCode::Conflict, message)
                .hint("choose another name or `--dir`; nothing was changed"),
            ApplyError::Io { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            ApplyError::Interrupted(interrupted) => interrupted.into(),
            ApplyError::Journal { path, .. } => {
                Self::new(ErrorCode::Conflict, message).hint(format!(
                    "restore the managed files from version control, then delete `{}` (`git rm -r` if it is tracked)",
                    path.display()
                ))
            }
            ApplyError::Secret(error) => error.into(),
        }
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        let message = error.to_string();
        match error {
            ProjectError::Missing { .. } => {
                Self::new(ErrorCode::NotFound, message).hint("check the path, or run in the project's directory")
            }
            ProjectError::NotAProject { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("`aos new NAME` creates a connector; `aos check --recursive DIR` searches for projects"),
            ProjectError::Read { source, .. } => Self::new(io_code(&source), message).hint(io_hint(&source)),
        }
    }
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        let message = error.to_string();
        match error {
            FleetError::Search { .. } => Self::new(ErrorCode::Io, message)
                .hint("check that the directory exists and can be read"),
            FleetError::Missing { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("check the path; `--recursive DIR` needs the directory above the projects"),
            FleetError::File(error) => error.into(),
            FleetError::Empty { .. } => Self::new(ErrorCode::NotFound, message).hint(
                "pass a directory that contains projects with an aos.toml or a connector.json",
            ),
        }
    }
}

impl From<FleetFileError> for Failure {
    fn from(error: FleetFileError) -> Self {
        let message = error.to_string();
        match error {
            FleetFileError::Read { .. } => Self::new(ErrorCode::Io, message)
                .hint("make the file readable for this user"),
            FleetFileError::Invalid { .. } => Self::new(ErrorCode::Validation, message).hint(
                "the members are `members`, `closed`, `exclude`, `pins` and `baseline`; docs/fleets.md describes them",
            ),
        }
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        let message = error.to_string();
        match error {
            BaselineError::Absent { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("write one first: `aos check --recursive ROOT --baseline write`"),
            BaselineError::Read { .. } => Self::new(ErrorCode::Validation, message)
                .hint("restore the file from version control, or delete it and write a new one"),
        }
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        let message = error.to_string();
        match error {
            SpecError::UnknownTag { known, .. } => {
                let hint = match known.last() {
                    Some(tag) => format!(
                        "use `{tag}` (`aos sync-spec --to {tag}`, `aos new --spec {tag}`), or use `aos sync-spec --from DIR` with a directory that has the tag"
                    ),
                    None => "pass a directory that has the tag with `--from DIR`".to_owned(),
                };
                Self::new(ErrorCode::NotFound, message).hint(hint).detail("known_tags", known)
            }
            SpecError::NotInDirectory { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("the directory must contain <family>/<tag>/contract.json and the spec text"),
            SpecError::Read { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            SpecError::NotInArchive { looked, .. } => Self::new(ErrorCode::NotFound, message)
                .hint("set `prefix` and `files` under [spec] in aos.toml to the location of the contract in the release")
                .detail("looked_for", looked),
            SpecError::Contract { .. } | SpecError::Tag { .. } => {
                Self::new(ErrorCode::Validation, message)
                    .hint("fix the contract document; nothing was changed")
            }
            SpecError::Format { member, .. } => Self::new(ErrorCode::Validation, message)
                .hint(
                    "publish the contract under a new tag, in the format of contract/schema/<family>-contract.schema.json of aos; the tags in aos are complete examples. Nothing was changed",
                )
                .detail("member", member),
            SpecError::Frozen { .. } => Self::new(ErrorCode::Integrity, message)
                .hint("do not use this copy; publish the change under a new tag"),
            SpecError::CoreChanged { core, .. } => {
                Self::new(ErrorCode::Integrity, message).hint(core.fix())
            }
            SpecError::OtherTag { .. } => Self::new(ErrorCode::Integrity, message)
                .hint("do not use this release; its publisher must release a correct one under a new tag"),
            SpecError::OtherBytes { .. } => Self::new(ErrorCode::Integrity, message).hint(
                "do not retry; ask the publisher about the tag, or move to another one with `--to TAG`",
            ),
            SpecError::Newest { error, .. } => {
                let has_none = matches!(error.fault, Fault::NotFound { .. });
                let failure = Self { message, ..error.into() };
                match has_none {
                    true => failure.hint("name a tag with `--to TAG`, or publish a release"),
                    false => failure,
                }
            }
            SpecError::Release { error, .. } => spec_release(error, message),
        }
    }
}

/// As for any release, with what the owner of a contract can do about it.
fn spec_release(error: ReleaseError, message: String) -> Failure {
    let hint = match &error.fault {
        Fault::Unsigned { .. } | Fault::NoChecksums { .. } => Some(
            "do not retry; its publisher must sign it with the release workflow of the tag. To trust the digests in this project's lock instead, set `trust = \"lock\"` under [spec] in aos.toml",
        ),
        Fault::NoAsset { .. } => Some(
            "the release must have that archive, with the contract in it; if the release is still being published, try again later",
        ),
        Fault::NotFound { .. } => {
            Some("use the tag of an existing release: `aos sync-spec --to TAG`, or `--to latest`")
        }
        _ => None,
    };
    let failure = Failure { message, ..error.into() };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

impl From<DesiredError> for Failure {
    fn from(error: DesiredError) -> Self {
        let message = error.to_string();
        match error {
            DesiredError::Generate(_) => Self::new(ErrorCode::Validation, message)
                .hint("correct the named line or member; `aos check` lists all errors. Nothing was changed"),
            DesiredError::Files(_) => Self::new(ErrorCode::Validation, message)
                .hint("give each output its own path in `aos.toml`"),
            DesiredError::Read { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            DesiredError::Runtime(fault) => fault.into(),
        }
    }
}

impl From<RuntimeFault> for Failure {
    fn from(fault: RuntimeFault) -> Self {
        let message = fault.to_string();
        match fault {
            RuntimeFault::Unknown { .. } => Self::new(ErrorCode::Config, message)
                .hint("correct `name` under [runtime] in aos.toml, or update aos"),
            RuntimeFault::Newer { .. } => {
                Self::new(ErrorCode::Conflict, message).hint("run `aos update`")
            }
            RuntimeFault::Contract { .. } => Self::new(ErrorCode::Validation, message)
                .hint("pin a tag that the runtime supports"),
            RuntimeFault::Module(_) => Self::new(ErrorCode::Validation, message).hint(
                "write `module PATH` into go.mod; the runtime uses it to import its own packages",
            ),
            RuntimeFault::Embedded(_) => Self::new(ErrorCode::Unknown, message)
                .hint("this build of aos is defective; install a release"),
            RuntimeFault::Files(_) => Self::new(ErrorCode::Validation, message)
                .hint("give the runtime its own directory under [runtime] in aos.toml"),
        }
    }
}

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Self {
        let message = error.to_string();
        match error {
            AnswerError::NotAPair { .. } => {
                Self::new(ErrorCode::Usage, message).hint("write `--set key=value`")
            }
            AnswerError::UnknownKey { key, known, nearest } => {
                let hint = match nearest {
                    _ if key == "name" => "a name is given once, as in `aos new NAME`".to_owned(),
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => "`aos new --list --template NAME` describes the questions".to_owned(),
                };
                Self::new(ErrorCode::Validation, message).hint(hint).detail("known_keys", known)
            }
            AnswerError::Invalid { key, .. } => Self::new(ErrorCode::Validation, message)
                .hint("`aos new --list --template NAME` describes the questions")
                .detail("key", key),
            AnswerError::Outdated { answers } => {
                let flags: Vec<_> =
                    answers.iter().map(|answer| format!("`--set {}=…`", answer.key)).collect();
                let keys: Vec<_> = answers.into_iter().map(|answer| answer.key).collect();
                Self::new(ErrorCode::Validation, message)
                    .hint(format!("choose another answer with {}", flags.join(" ")))
                    .detail("keys", keys)
            }
            AnswerError::Missing { key, help } => Self::new(ErrorCode::Validation, message)
                .hint(format!("add `--set {key}=…` ({help})"))
                .detail("key", key),
            AnswerError::MissingSeveral { keys } => {
                let flags: Vec<_> = keys.iter().map(|key| format!("`--set {key}=…`")).collect();
                Self::new(ErrorCode::Validation, message)
                    .hint(format!("add {}", flags.join(" ")))
                    .detail("keys", keys)
            }
            AnswerError::Default { .. } => Self::new(ErrorCode::Unknown, message)
                .hint("this build of aos is defective; install a release"),
            AnswerError::File { .. } => Self::new(ErrorCode::Validation, message)
                .hint("use a TOML or JSON file with one answer per key"),
        }
    }
}

impl From<EmbeddedError> for Failure {
    fn from(error: EmbeddedError) -> Self {
        Self::new(ErrorCode::Unknown, error.to_string())
            .hint("this build of aos is defective; install a release")
    }
}

impl From<SecretError> for Failure {
    fn from(error: SecretError) -> Self {
        let message = error.to_string();
        let elsewhere = format!("set {} to a directory that you own", environment::AOS_HOME);
        match error {
            SecretError::NoHome => Self::new(ErrorCode::Config, message).hint(elsewhere),
            SecretError::Shared { .. } => Self::new(ErrorCode::Config, message)
                .hint("delete the file; the next run creates a new one"),
            SecretError::Io { source, .. } => Self::new(io_code(&source), message).hint(format!(
                "fix the cause, or set {} to another directory",
                environment::AOS_HOME
            )),
        }
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        let message = error.to_string();
        match error {
            TokenError::Invalid | TokenError::Expired => Self::new(ErrorCode::Conflict, message)
                .hint("run the command with `--dry-run` again and use the new token; nothing was changed"),
            TokenError::WeakSecret => Self::new(ErrorCode::Config, message)
                .hint("delete the file `confirm.secret` in the state directory (`aos context` names it)"),
        }
    }
}
