//! The write gate (agent-cli §7, §9): a write needs a token, and a token is valid for one change and one use.

use serde_json::Value;

use super::fixture::{Role, Sample};
use super::kind;
use super::lab::{Account, ProbeCaller, and, examine};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::values;
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::listing::declared;
use crate::families::agent_cli::contract::FAMILY;

pub const WRITES: [Role; 6] =
    [Role::Create, Role::Update, Role::Delete, Role::Batch, Role::Job, Role::Human];
/// Longest life of a token that is taken for a limit at all.
const MAX_LIFE: i64 = 24 * 3_600;

/// True if a command requires confirmation.
pub fn is_dangerous(reference: &Value, path: &str) -> bool {
    declared(reference, path).is_some_and(|command| command["dangerous"] == true)
}

/// The call with `--dangerous` where it is wanted.
pub fn meant(lab: &ProbeCaller<'_>, sample: &Sample, call: &[String]) -> Vec<String> {
    let reference = lab.session_reference().unwrap_or_default();
    if is_dangerous(&reference, &sample.path) { and(call, &["--dangerous"]) } else { call.to_vec() }
}

/// The token of a dry run.
///
/// # Errors
/// Blocked without one: the probe of the dry run says why.
pub fn token(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<String> {
    let shot = lab.call(&and(call, &["--dry-run"]));
    let token = shot.at("/data/confirm_token").as_str();
    token
        .map(str::to_owned)
        .ok_or_else(|| Unfinished::Blocked("the dry run returns no token".to_owned()))
}

/// The samples that write and are confirmed always.
///
/// # Errors
/// Blocked when `reference` does not say of one of them what it does.
pub fn writes<'a>(lab: &ProbeCaller<'a>) -> ProbeStep<Vec<&'a Sample>> {
    let mut found = Vec::new();
    for sample in WRITES.into_iter().flat_map(|role| lab.samples(role)) {
        let command = lab.declared(&sample.path)?;
        if let Some(why) = kind::unclear(&lab.contract.commands, &sample.path, &command) {
            return Err(Unfinished::Blocked(why));
        }
        if kind::is_gated(&lab.contract.commands, &command) {
            found.push(sample);
        }
    }
    Ok(found)
}

/// Starts the upstream and gives every write.
///
/// # Errors
/// Returns an error if there is none.
fn all_writes<'a>(lab: &ProbeCaller<'a>) -> ProbeStep<Vec<&'a Sample>> {
    let writes = writes(lab)?;
    if writes.is_empty() {
        lab.sample(Role::Create)?;
        let message = "no sample of conform.toml is a write that is confirmed always";
        return Err(Unfinished::Blocked(message.to_owned()));
    }
    lab.start_upstream()?;
    Ok(writes)
}

/// A confirmation that must be refused as a conflict and change nothing.
pub fn conflicts(
    lab: &ProbeCaller<'_>,
    account: Account,
    call: &[String],
    token: &str,
    when: &str,
) -> ProbeStep {
    let before = lab.mutations();
    let shot = lab.run_as(account, &and(call, &["--confirm", token]), &[]);
    shot.expect(lab.mutations() == before, format!("{when} is accepted"))?;
    shot.expect_code(&["E_CONFLICT"], when)?;
    shot.expect(shot.exit() == Some(6), format!("{when}: the exit code is not 6"))
}

pub const GATE_BARE: Probe = Probe {
    id: "cli.gate-bare",
    section: "§7",
    title: "A write without a token fails with E_CONFIRMATION_REQUIRED, exit code 5 and the preview, and changes nothing",
    why: "Nothing may be changed by accident",
    fix: "use one gate for every write command, and put the preview of the dry run into `details`",
    run: |session| examine(session, gate_bare),
    ..Probe::of(FAMILY)
};

fn gate_bare(lab: &ProbeCaller<'_>) -> ProbeStep {
    for sample in all_writes(lab)? {
        let shot = lab.call(&meant(lab, sample, &sample.call()));
        shot.expect(lab.mutations() == 0, format!("`{}` writes without a token", sample.path))?;
        let when = format!("`{}` without a token", sample.path);
        shot.expect_code(&["E_CONFIRMATION_REQUIRED"], &when)?;
        shot.expect(shot.exit() == Some(5), format!("{when}: the exit code is not 5"))?;
        // Tags before v1.1.0 do not ask for it.
        let preview = shot.at("/error/details/preview");
        let has_preview = preview.as_object().is_some_and(|preview| !preview.is_empty())
            || preview.as_array().is_some_and(|changes| !changes.is_empty());
        let message = format!("the refusal of {when} has no `preview` in `details`");
        shot.expect(has_preview || lab.contract.tag == "v1.0.0", message)?;
    }
    Ok(())
}

pub const DRY_RUN: Probe = Probe {
    id: "cli.dry-run",
    section: "§7",
    title: "A dry run returns preview, token and expiry, and changes nothing",
    why: "People agree to what the preview shows",
    fix: "return `preview`, `confirm_token` and `expires_at` in UTC from every write with --dry-run",
    run: |session| examine(session, dry_run),
    ..Probe::of(FAMILY)
};

fn dry_run(lab: &ProbeCaller<'_>) -> ProbeStep {
    for sample in all_writes(lab)? {
        let path = &sample.path;
        let shot = lab.call(&and(&meant(lab, sample, &sample.call()), &["--dry-run"]));
        shot.expect(lab.mutations() == 0, format!("the dry run of `{path}` writes"))?;
        shot.expect(shot.is_ok(), format!("the dry run of `{path}` fails"))?;
        let preview = shot.at("/data/preview").as_object();
        shot.expect(preview.is_some_and(|preview| !preview.is_empty()), "`preview` shows nothing")?;
        let token = shot.at("/data/confirm_token").as_str().unwrap_or_default();
        shot.expect(token.len() >= 16, "`confirm_token` is not a token")?;
        let expires = shot.at("/data/expires_at").as_str().unwrap_or_default();
        let life = seconds_until(expires);
        shot.expect(
            life.is_some(),
            "`expires_at` is not a UTC time of the form 2026-01-31T12:00:00Z",
        )?;
        let is_near = life.is_some_and(|life| (1..=MAX_LIFE).contains(&life));
        shot.expect(is_near, "`expires_at` is not within the next day")?;
        leaks(lab, &shot)?;
    }
    Ok(())
}

fn leaks(lab: &ProbeCaller<'_>, shot: &Answered) -> ProbeStep {
    let preview = shot.data().to_string();
    let leaks = lab.secrets().iter().any(|secret| secret.leak(&preview).is_some());
    shot.expect(!leaks, "the preview contains a secret")
}

/// Seconds from now until a time in UTC.
pub fn seconds_until(time: &str) -> Option<i64> {
    let moment: jiff::Timestamp = utc(time)?;
    let now = i64::try_from(crate::system::clock::now_seconds()).ok()?;
    moment.as_second().checked_sub(now)
}

/// A time in UTC as the contract wants it.
pub fn utc(time: &str) -> Option<jiff::Timestamp> {
    let is_utc = time.ends_with('Z') || time.ends_with("+00:00");
    if is_utc && time.contains('T') { time.parse().ok() } else { None }
}

pub const DRY_RUN_VALIDATES: Probe = Probe {
    id: "cli.dry-run-validates",
    section: "§7",
    title: "A write that cannot succeed already fails in its dry run",
    why: "A token for an impossible write is useless",
    fix: "read the target during the dry run, and report its failure",
    run: |session| examine(session, dry_run_validates),
    ..Probe::of(FAMILY)
};

fn dry_run_validates(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Update)?;
    if sample.missing.is_empty() {
        return Err(Unfinished::Blocked(format!(
            "`{}` has no `missing` in conform.toml",
            sample.path
        )));
    }
    let others = all_writes(lab)?.into_iter().filter(|other| {
        other.path != sample.path && other.role != Role::Batch && !other.missing.is_empty()
    });
    for sample in std::iter::once(sample).chain(others) {
        let call = meant(lab, sample, &sample.with(&sample.missing));
        let shot = lab.call(&and(&call, &["--dry-run"]));
        let has_token = shot.at("/data/confirm_token").is_string();
        let path = &sample.path;
        let message = format!("a target of `{path}` that does not exist gets a token");
        shot.expect(!has_token && !shot.is_ok(), message)?;
        let when = format!("the dry run of `{path}` with a target that does not exist");
        shot.expect_code(&["E_NOT_FOUND"], &when)?;
    }
    Ok(())
}

pub const TOKEN_ONCE: Probe = Probe {
    id: "cli.token-once",
    section: "§9",
    title: "A token works once; a second use fails with E_CONFLICT",
    why: "A retry after a timeout must not repeat the write",
    fix: "record the token's fingerprint before the write begins",
    run: |session| examine(session, token_once),
    ..Probe::of(FAMILY)
};

fn token_once(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let shot = lab.unattended(&and(&call, &["--confirm", &token]));
    ended(&shot, sample)?;
    shot.expect(shot.is_ok(), "the token of the dry run is refused")?;
    shot.expect(lab.mutations() >= 1, "the confirmed write did not reach the upstream")?;
    conflicts(lab, Account::One, &call, &token, "a token that was used already")?;
    for other in all_writes(lab)?.into_iter().filter(|other| other.path != sample.path) {
        let call = meant(lab, other, &other.call());
        let token = self::token(lab, &call)?;
        let before = lab.mutations();
        let shot = lab.unattended(&and(&call, &["--confirm", &token]));
        ended(&shot, other)?;
        let refused = format!("`{}` refuses the token of its dry run", other.path);
        shot.expect(shot.is_ok() || shot.code() != "E_CONFLICT", refused)?;
        if shot.is_ok() {
            let idle = format!("`{}` succeeds, but no change reached the upstream", other.path);
            shot.expect(lab.mutations() > before, idle)?;
            let other_text = values::other_text(&other.args, shot.data());
            shot.without(other_text.map(|name| {
                format!("`{}` returns another `{name}` than it was given", other.path)
            }))?;
            let when = format!("a token of `{}` that was used already", other.path);
            conflicts(lab, Account::One, &call, &token, &when)?;
        }
    }
    Ok(())
}

/// Blocked when a confirmed write did not end: `cli.no-prompt` judges that.
fn ended(shot: &Answered, sample: &Sample) -> ProbeStep {
    if shot.exit().is_some() {
        return Ok(());
    }
    Err(Unfinished::Blocked(format!("the confirmed `{}` does not end", sample.path)))
}

pub const TOKEN_PAYLOAD: Probe = Probe {
    id: "cli.token-payload",
    section: "§7",
    title: "A token is valid only for the arguments of its dry run",
    why: "A user who agrees to one text has not agreed to another",
    fix: "include the whole payload in the token, not only ids",
    run: |session| examine(session, token_payload),
    ..Probe::of(FAMILY)
};

fn token_payload(lab: &ProbeCaller<'_>) -> ProbeStep {
    let changed = |sample: &&Sample| !sample.changed.is_empty();
    let samples: Vec<_> = all_writes(lab)?.into_iter().filter(changed).collect();
    if samples.is_empty() {
        return Err(Unfinished::Blocked(
            "no write in conform.toml has `changed` arguments".to_owned(),
        ));
    }
    for sample in samples {
        let token = token(lab, &meant(lab, sample, &sample.call()))?;
        let other = meant(lab, sample, &sample.with(&sample.changed));
        let when = format!("a token for other arguments of `{}`", sample.path);
        conflicts(lab, Account::One, &other, &token, &when)?;
    }
    Ok(())
}

pub const TOKEN_FORGED: Probe = Probe {
    id: "cli.token-forged",
    section: "§7",
    title: "A token that is made up, shortened, re-encoded or of another command fails with E_CONFLICT",
    why: "A token that can be forged confirms nothing, and a second encoding could be used a second time",
    fix: "authenticate the token with a secret, decode it strictly, and accept only its canonical encoding",
    run: |session| examine(session, token_forged),
    ..Probe::of(FAMILY)
};

fn token_forged(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let forgeries = [
        ("a made-up token", "ct_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ("a shortened token", token.chars().take(token.len().saturating_sub(4)).collect()),
        ("a token with a character more", format!("{token}=")),
        ("a token with a line break", format!("{token}\n")),
        ("a changed token", changed(&token)),
    ];
    for (when, forged) in forgeries {
        conflicts(lab, Account::One, &call, &forged, when)?;
    }
    for other in all_writes(lab)?.into_iter().filter(|other| other.path != sample.path) {
        let call = meant(lab, other, &other.call());
        conflicts(lab, Account::One, &call, &token, "a token of another command")?;
        let own = changed(&self::token(lab, &call)?);
        let when = format!("a changed token of `{}`", other.path);
        conflicts(lab, Account::One, &call, &own, &when)?;
    }
    Ok(())
}

/// The token with another character in its middle.
fn changed(token: &str) -> String {
    let middle = token.len() / 2;
    let symbol = if token.as_bytes().get(middle) == Some(&b'A') { 'B' } else { 'A' };
    token.char_indices().map(|(at, old)| if at == middle { symbol } else { old }).collect()
}

pub const TOKEN_ACCOUNT: Probe = Probe {
    id: "cli.token-account",
    section: "§7",
    title: "A token of one account fails with E_CONFLICT for another",
    why: "The preview was made with the rights of the first account",
    fix: "include the account in the token",
    run: |session| examine(session, token_account),
    ..Probe::of(FAMILY)
};

fn token_account(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let other = lab.fixture.credentials.as_ref().and_then(|each| each.other_account.as_ref());
    if other.is_none() {
        return Err(Unfinished::Blocked("conform.toml names no `other_account`".to_owned()));
    }
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    conflicts(lab, Account::Other, &call, &token, "a token of another account")?;
    for write in all_writes(lab)?.into_iter().filter(|write| write.path != sample.path) {
        let call = meant(lab, write, &write.call());
        let token = self::token(lab, &call)?;
        let before = lab.mutations();
        let shot = lab.run_as(Account::Other, &and(&call, &["--confirm", &token]), &[]);
        let when = format!("a token of another account for `{}`", write.path);
        shot.expect(lab.mutations() == before, format!("{when} is accepted"))?;
        // The other account may not be allowed to do, or to see, as much.
        shot.expect_code(&["E_CONFLICT", "E_FORBIDDEN", "E_NOT_FOUND", "E_AUTH"], &when)?;
    }
    Ok(())
}

pub const TOKEN_RACE: Probe = Probe {
    id: "cli.token-race",
    section: "§9",
    title: "If two processes use one token, exactly one writes",
    why: "Agents run in parallel; if the check and the mark are separate steps, both succeed",
    fix: "mark the token as used by creating a file exclusively, before the write",
    run: |session| examine(session, token_race),
    ..Probe::of(FAMILY)
};

fn token_race(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let [first, second] = lab.twice_at_once(&and(&call, &["--confirm", &token]));
    let successes = [&first, &second].into_iter().filter(|shot| shot.is_ok()).count();
    if successes == 2 && lab.call(&and(&call, &["--confirm", &token])).is_ok() {
        let message = "a token works more than once, so two processes at once would prove nothing";
        return Err(Unfinished::Blocked(message.to_owned()));
    }
    second.expect(successes <= 1, "both processes wrote with the same token")?;
    second.expect(successes == 1, "neither process wrote with a good token")?;
    let loser = if first.is_ok() { &second } else { &first };
    loser.expect_code(&["E_CONFLICT"], "the process that came second")
}

pub const DANGEROUS: Probe = Probe {
    id: "cli.dangerous",
    section: "§15.4",
    title: "A dangerous command needs --dangerous in both steps, even with a valid token",
    why: "For irreversible changes, a token without the explicit flag is not enough",
    fix: "check --dangerous before the dry run and before the token",
    run: |session| examine(session, dangerous),
    ..Probe::of(FAMILY)
};

fn dangerous(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let samples: Vec<_> = all_writes(lab)?
        .into_iter()
        .filter(|sample| is_dangerous(&reference, &sample.path))
        .collect();
    if samples.is_empty() {
        let commands = reference["commands"].as_array().into_iter().flatten();
        let any = commands.into_iter().any(|command| command["dangerous"] == true);
        let message = "no dangerous command of `reference` has a sample in conform.toml";
        return Err(if any {
            Unfinished::Blocked(message.to_owned())
        } else {
            lab.absent("`reference` has no dangerous command")
        });
    }
    for sample in samples {
        let call = sample.call();
        let when = format!("`{}` without --dangerous", sample.path);
        let shot = lab.call(&and(&call, &["--dry-run"]));
        shot.expect_code(&["E_CONFIRMATION_REQUIRED"], &format!("the dry run of {when}"))?;
        let token = token(lab, &and(&call, &["--dangerous"]))?;
        let before = lab.mutations();
        let shot = lab.call(&and(&call, &["--confirm", &token]));
        shot.expect(lab.mutations() == before, format!("{when} is accepted"))?;
        shot.expect_code(&["E_CONFIRMATION_REQUIRED"], &format!("{when}, with a good token,"))?;
    }
    Ok(())
}
