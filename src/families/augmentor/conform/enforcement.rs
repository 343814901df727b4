//! P2: the example calls under what the system can enforce of the declaration.

use serde_json::{Value, json};

use crate::families::augmentor::host::containment::Containment;
use crate::families::augmentor::host::message::RunnerEvent;
use crate::families::augmentor::host::{child, package};
use crate::visible::excerpt;

use super::calls::{call_limit, is_expected};
use super::examination::ExaminedPackage;
use super::examples::Example;
use super::findings::evidence;

/// Makes the example calls under what the system can enforce of the declaration.
pub fn enforce(subject: &mut ExaminedPackage<'_>, examples: &[Example]) {
    let found = Containment::of(&subject.place, &subject.program, &subject.restrictions());
    if found.enforced.is_empty() {
        subject.findings.excuse("P2", "nothing of its declaration can be enforced on this system");
        return;
    }
    // All calls so far were made in the network namespace, and were kept to fewer files than any declaration allows.
    if found.enforces("network") || found.enclosure.is_some() {
        subject.findings.looked("P2", examples.len());
    }
    if found.options.is_empty() {
        return;
    }
    let Some((mut child, _)) = subject.loaded(&found.options) else { return };
    for example in examples {
        let context = subject.context("conform-1");
        let request = package::request(&example.callee(), &context, false);
        let answer = child.ask(&request, call_limit(subject), &mut child::ignore);
        subject.findings.looked("P2", 1);
        let words = example.words();
        let (note, shown) = match answer {
            Ok(answer) if is_expected(example, &answer) => continue,
            Ok(RunnerEvent::Error { error, .. }) => {
                let message = excerpt(&error.message, 200);
                let note =
                    format!("`{}` fails if its declaration is enforced: {message}", words[0]);
                let shown = evidence(&words, &json!(error), "error", &note);
                (note, shown)
            }
            Ok(_) | Err(_) => {
                let note =
                    format!("`{}` returns another result if its declaration is enforced", words[0]);
                let shown = evidence(&words, &Value::Null, "other answer", &note);
                (note, shown)
            }
        };
        subject.findings.fail("P2", note, Some(shown));
        return;
    }
}
