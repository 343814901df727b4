//! The errors for a tool that cannot be started, and for a fixture that cannot be read.

use crate::conform::fixture::FixtureError;
use crate::conform::target::TargetError;
use crate::error::{io_code, io_hint};
use crate::report::{ErrorCode, Failure};

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let message = error.to_string();
        match error {
            TargetError::NotFound { looked, .. } => Self::new(ErrorCode::NotFound, message)
                .hint("install or build the tool, set its command under [conform] in aos.toml, or pass it after `--`")
                .detail("looked_for", looked),
            TargetError::NoRuntime { runtime, .. } => Self::new(ErrorCode::NotFound, message)
                .hint(format!("install {runtime}, or activate an environment that has it")),
            TargetError::NoProgram { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("use an executable file, or a program on PATH"),
        }
    }
}

impl From<FixtureError> for Failure {
    fn from(error: FixtureError) -> Self {
        let message = error.to_string();
        match error {
            FixtureError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Self::new(ErrorCode::NotFound, message).hint("pass an existing file to `--fixture`")
            }
            FixtureError::Read { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            FixtureError::Document { .. } => Self::new(ErrorCode::Validation, message)
                .hint("fix it there; `aos conform --explain fixture` describes all members"),
        }
    }
}
