//! Secrets in unexpected places (agent-cli §10), and an audit log that cannot be written.

use crate::conform::secrets::{SecretShape, Sentinel};
use crate::system::files;

use super::fixture::{Role, Sample};
use super::gate::{meant, token};
use super::lab::{Account, ProbeCaller, and, examine, words};
use super::secrets::files_below;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::tree;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

const MAX_FILE: u64 = 4 * 1024 * 1024;

pub const AUDIT_ARGUMENTS: Probe = Probe {
    id: "cli.audit-arguments",
    section: "§10",
    title: "No file contains a secret that was passed as an argument, in any notation",
    why: "Logs are often copied without a search for secrets",
    fix: "redact known secrets in the value of every option, in `--name=value` and in single words, before storing them",
    run: |session| {
        examine(session, |lab| {
            with_secret(lab, |_, _| Ok(()))?;
            lab.tally.count("files");
            let secrets = lab.secrets();
            for path in files_below(&lab.sandbox.path().join("home")) {
                let Ok(loaded) = files::read(&path, MAX_FILE) else { continue };
                let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
                lab.tally.subject(path.display().to_string());
                if let Some(how) = secrets.iter().find_map(|secret| secret.leak(&text)) {
                    let message =
                        format!("the file `{}` contains the secret {how}", tree::name(&path));
                    return Err(Unfinished::Fail(message, None));
                }
            }
            Ok(())
        })
    },
    ..Probe::of(FAMILY)
};

pub const PREVIEW_SECRETS: Probe = Probe {
    id: "cli.preview-secrets",
    section: "§10",
    title: "A preview shows no secret, even if it was an argument",
    why: "Other people may read the preview",
    fix: "redact known secrets in all output",
    run: |session| {
        examine(session, |lab| {
            with_secret(lab, |lab, shot| {
                let said = shot.observed.said();
                let leak = lab.secrets().iter().find_map(|secret| secret.leak(&said));
                if let Some(how) = leak {
                    return Err(shot.fail(format!("the secret was printed {how}")));
                }
                // A refusal shows no preview.
                if shot.is_ok() {
                    shot.judged();
                }
                Ok(())
            })
        })
    },
    ..Probe::of(FAMILY)
};

/// Previews a create with a secret in the value of its last option, in three spellings.
fn with_secret(
    lab: &ProbeCaller<'_>,
    each: impl Fn(&ProbeCaller<'_>, &Answered) -> ProbeStep,
) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let secret = lab.secrets_of(Account::One).into_iter().next().ok_or_else(|| {
        Unfinished::Blocked("conform.toml has no [agent_cli.credentials]".to_owned())
    })?;
    let (rest, option) = last_option(sample).ok_or_else(|| {
        Unfinished::Blocked(format!("`{}` has no option with a value in conform.toml", sample.path))
    })?;
    let value = secret.value.as_str();
    let spellings = [
        and(&rest, &[&option, value]),
        and(&rest, &[&format!("{option}={value}")]),
        and(&sample.args, &[value]),
    ];
    for arguments in spellings {
        let call = and(&meant(lab, sample, &sample.with(&arguments)), &["--dry-run"]);
        each(lab, &lab.call(&call))?;
    }
    Ok(())
}

/// The last option of a sample and the arguments without it.
fn last_option(sample: &Sample) -> Option<(Vec<String>, String)> {
    let at = sample.args.iter().rposition(|word| word.starts_with("--") && !word.contains('='))?;
    sample.args.get(at + 1).filter(|value| !value.starts_with("--"))?;
    let mut rest = sample.args.clone();
    let option = rest.remove(at);
    rest.remove(at);
    Some((rest, option))
}

pub const ADDRESS: Probe = Probe {
    id: "cli.address-secret",
    section: "§10",
    title: "A password in the upstream's address is neither printed nor stored",
    why: "Users put passwords into addresses, and addresses are printed in many places",
    fix: "refuse an address with a user, or remove the user before printing it",
    run: |session| examine(session, address),
    ..Probe::of(FAMILY)
};

fn address(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Get)?;
    let variable = lab.session.base_url_env().unwrap_or_default();
    let secret = Sentinel::new("ADDRESS", SecretShape::Plain);
    let url = lab.with_upstream(|upstream| upstream.mock.url())?;
    let url = url.replacen("http://", &format!("http://somebody:{}@", secret.value), 1);
    let more = [(variable, url.as_str())];
    for call in [words(&["context"]), words(&["doctor"]), sample.call()] {
        let shot = lab.run_as(Account::One, &call, &more);
        if shot.document.is_ok() {
            shot.judged();
        }
        if let Some(how) = secret.leak(&shot.observed.said()) {
            // The call itself would show it.
            let message = format!("`{}` prints the password of the address {how}", call.join(" "));
            return Err(Unfinished::Fail(message, None));
        }
    }
    if let Some(create) = lab.samples(Role::Create).next() {
        let call = and(&meant(lab, create, &create.call()), &["--dry-run"]);
        let _ = lab.run_as(Account::One, &call, &more);
    }
    for path in files_below(&lab.sandbox.path().join("home")) {
        let Ok(loaded) = files::read(&path, MAX_FILE) else { continue };
        let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
        if let Some(how) = secret.leak(&text) {
            let message =
                format!("`{}` contains the password of the address {how}", tree::name(&path));
            return Err(Unfinished::Fail(message, None));
        }
    }
    Ok(())
}

pub const AUDIT_FAILURE: Probe = Probe {
    id: "cli.audit-failure",
    section: "§10",
    title: "An audit log that cannot be written does not stop a command",
    why: "A full disk must not make the tool unusable",
    fix: "turn every error of the log into a warning on stderr",
    run: |session| examine(session, audit_failure),
    ..Probe::of(FAMILY)
};

fn audit_failure(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let _ = token(lab, &call)?;
    let log = super::secrets::audit_log(lab).ok_or_else(|| {
        Unfinished::Blocked("there is no audit log in the home of the tool".to_owned())
    })?;
    tree::obstruct(&log)?;
    let token = token(lab, &call).map_err(|_| {
        Unfinished::Fail("a dry run fails because of its audit log".to_owned(), None)
    })?;
    let before = lab.mutations();
    let shot = lab.call(&and(&call, &["--confirm", &token]));
    let writes = shot.is_ok() && lab.mutations() > before;
    shot.expect(writes, "a write fails because its audit log cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(words: &[&str]) -> Sample {
        let args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let text = format!("path = \"a\"\nrole = \"create\"\nargs = {args:?}");
        toml_edit::de::from_str(&text).unwrap()
    }

    #[test]
    fn the_last_option_with_a_value_is_taken_out() {
        let found = last_option(&sample(&["--a", "1", "--b", "2"])).unwrap();
        assert_eq!(found, (words(&["--a", "1"]), "--b".to_owned()));
        assert!(last_option(&sample(&["--a=1"])).is_none());
        assert!(last_option(&sample(&["--a", "1", "--flag"])).is_none());
    }
}
