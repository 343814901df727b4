//! Templates of the user's own: what their errors mean for the caller.

use crate::generate::record_origin::ARCHIVE_PATH;
use crate::inputs::own_template::{TemplateError, TemplateFault};
use crate::release::Fault;
use crate::report::answers::template::ReportedFault;
use crate::report::{ErrorCode, Failure};
use crate::visible::{Visible, visible};

use super::{io_code, io_hint};

impl From<TemplateError> for Failure {
    fn from(error: TemplateError) -> Self {
        let message = error.to_string();
        match error {
            TemplateError::Faulty { faults, .. } => {
                let lines = faults.iter().map(|fault| visible!("  {}", fault.to_string()));
                let report = Visible::joined(lines, "\n");
                let listed: Vec<_> = faults.into_iter().map(reported).collect();
                let mut failure = Self::new(ErrorCode::Validation, message)
                    .hint("fix the template; `aos template check DIR` lists every fault")
                    .detail("faults", listed);
                failure.report = Some(report);
                failure
            }
            TemplateError::NotATemplate { .. } => Self::new(ErrorCode::NotFound, message).hint(
                "docs/templates.md describes the format; `aos template new NAME` creates a template, and `aos template from DIR --to TEMPLATE` derives one from a repository",
            ),
            TemplateError::Read { source, .. }
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                Self::new(ErrorCode::NotFound, message).hint("check the path of the template")
            }
            TemplateError::Read { source, .. } => {
                Self::new(io_code(&source), message).hint(io_hint(&source))
            }
            TemplateError::Unusable { .. } => Self::new(ErrorCode::Validation, message)
                .hint("docs/templates.md has the limits of a template"),
            TemplateError::Name { .. } => Self::new(ErrorCode::Validation, message).hint(
                "use the name of a template of aos, a directory such as `./web`, `github:OWNER/REPOSITORY[@TAG][//DIRECTORY]` or `git+https://…`",
            ),
            TemplateError::Release { error, .. } => {
                let hint = match &error.fault {
                    Fault::Unsigned { .. } | Fault::NoChecksums { .. } => Some(
                        "do not retry; its publisher must sign it with the release workflow of the tag, as docs/templates.md shows. `git+https://…` accepts a template without a signature",
                    ),
                    Fault::NoAsset { .. } => Some(
                        "the release must have that archive with the template in it; docs/templates.md shows how it is made",
                    ),
                    Fault::NotFound { .. } => Some("name the tag of an existing release with `@TAG`"),
                    _ => None,
                };
                let failure = Self { message, ..error.into() };
                match hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            }
            TemplateError::Moved { .. } => Self::new(ErrorCode::Integrity, message).hint(
                "do not retry; ask the publisher why the tag was moved, and name another one with `--template …@TAG`",
            ),
            TemplateError::Git { network: true, .. } => Self::new(ErrorCode::Network, message)
                .hint("check the address, the connection and your access to the repository"),
            TemplateError::Git { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("check the tag and the directory after `//`"),
            TemplateError::Archive { .. } => Self::new(ErrorCode::Integrity, message).hint(
                format!("restore it from version control, for example with `git restore {ARCHIVE_PATH}`"),
            ),
        }
    }
}

pub fn reported(fault: TemplateFault) -> ReportedFault {
    let TemplateFault { path, place, message } = fault;
    let (line, column) = place.unzip();
    ReportedFault { path, line, column, message }
}
