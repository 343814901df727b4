//! Error codes and exits (agent-cli §6), and what an upstream that fails turns into.

use std::time::Duration;

use crate::conform::mock::{Mock, ReceivedRequest, Reply};

use super::fixture::Role;
use super::lab::{Account, ProbeCaller, and, examine};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished, fail};
use super::{gate, shapes};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;
use crate::visible::excerpt;

const JSON: &str = "application/json";
/// How long an upstream that is too slow takes.
const TOO_SLOW: Duration = Duration::from_secs(12);

pub const CODE_TABLE: Probe = Probe {
    id: "cli.code-table",
    section: "§6",
    title: "Error code, exit code and retryable of every failure agree with the table",
    why: "An agent decides only by the code whether it waits, asks or stops",
    fix: "derive exit code and retryable from the error code with the generated contract module",
    run: |session| examine(session, code_table),
    ..Probe::of(FAMILY)
};

fn code_table(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let calls: [&[&str]; 3] = [
        &["no-such-command"],
        &["context", "--no-such-option"],
        &["context", "--format", "no-such-format"],
    ];
    for call in calls {
        let shot = lab.look(call);
        in_table(lab, &reference, &shot)?;
    }
    let Some(sample) = lab.samples(Role::Get).next() else { return Ok(()) };
    if lab.start_upstream().is_ok() {
        in_table(lab, &reference, &lab.call(&sample.with(&sample.missing)))?;
        in_table(lab, &reference, &lab.run_as(Account::None, &sample.call(), &[]))?;
        for number in [403, 408, 409, 429, 500] {
            in_table(lab, &reference, &against(lab, move |_| status(number))?)?;
        }
    }
    Ok(())
}

fn in_table(lab: &ProbeCaller<'_>, reference: &serde_json::Value, shot: &Answered) -> ProbeStep {
    if shot.document.is_err() || shot.at("/ok") == true || shot.exit() == Some(0) {
        return Ok(());
    }
    shot.without(shapes::code(lab.contract, reference, shot.at(""), shot.exit()))
}

pub const USAGE: Probe = Probe {
    id: "cli.usage",
    section: "§6",
    title: "A wrong command line is E_USAGE or E_VALIDATION with exit code 2",
    why: "If a mistake is ignored, the agent does not learn of it",
    fix: "refuse unknown commands, options, values and surplus arguments, and name missing ones",
    run: |session| examine(session, usage),
    ..Probe::of(FAMILY)
};

fn usage(lab: &ProbeCaller<'_>) -> ProbeStep {
    let calls: [&[&str]; 5] = [
        &["no-such-command"],
        &["context", "--no-such-option"],
        &["context", "--format", "no-such-format"],
        &["context", "one-word-too-many"],
        &["changelog", "--since"],
    ];
    for call in calls {
        refused(&lab.look(call), &call.join(" "))?;
    }
    let reference = lab.reference()?;
    let sample = lab.samples(Role::Get).next();
    let command = reference["commands"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|command| sample.is_some_and(|sample| command["path"] == sample.path.as_str()));
    let needs = |command: &serde_json::Value| {
        command["params"]
            .as_array()
            .is_some_and(|params| params.iter().any(|param| param["required"] == true))
    };
    if let (Some(sample), true) = (sample, command.is_some_and(needs)) {
        refused(&lab.run_as(Account::One, &sample.words(), &[]), "an argument that is missing")?;
    }
    Ok(())
}

fn refused(shot: &Answered, what: &str) -> ProbeStep {
    if shot.exit() == Some(0) && shot.at("/ok") != false {
        return Err(shot.fail(format!("`{what}` is accepted")));
    }
    if shot.document.is_err() {
        let stderr = String::from_utf8_lossy(shot.observed.stderr()).into_owned();
        let is_astray = stderr.contains("\"error\"") && stderr.contains("\"ok\"");
        if shot.observed.stdout().is_empty() && is_astray {
            return Err(shot.fail(format!("the envelope of `{what}` is on stderr")));
        }
        // Another probe reports a missing envelope; this one has nothing to judge.
        return Ok(());
    }
    shot.expect_code(&["E_USAGE", "E_VALIDATION"], &format!("`{what}`"))
}

pub const NO_CREDENTIALS: Probe = Probe {
    id: "cli.no-credentials",
    section: "§6",
    title: "Without credentials, a command fails with E_AUTH or E_CONFIG and exit code 4",
    why: "The agent must tell the user instead of retrying",
    fix: "look for the credential before sending anything",
    run: |session| examine(session, no_credentials),
    ..Probe::of(FAMILY)
};

fn no_credentials(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Get)?;
    if lab.fixture.credentials.is_none() {
        return Err(Unfinished::Blocked("conform.toml has no [agent_cli.credentials]".to_owned()));
    }
    let shot = lab.run_as(Account::None, &sample.call(), &[]);
    shot.expect_code(&["E_AUTH", "E_CONFIG"], "a call without credentials")?;
    shot.expect(shot.exit() == Some(4), "the exit code of a call without credentials is not 4")?;
    let reads = [Role::List, Role::Scopes].into_iter().flat_map(|role| lab.samples(role));
    let reads = reads.map(|sample| (sample, sample.call()));
    let writes = gate::writes(lab)?.into_iter();
    let writes = writes
        .map(|sample| (sample, and(&gate::meant(lab, sample, &sample.call()), &["--dry-run"])));
    for (sample, call) in reads.chain(writes) {
        let shot = lab.run_as(Account::None, &call, &[]);
        // Some commands of an upstream work for every account.
        if !shot.is_ok() {
            let when = format!("`{}` without credentials", sample.path);
            shot.expect_code(&["E_AUTH", "E_CONFIG"], &when)?;
            shot.expect(shot.exit() == Some(4), format!("{when}: the exit code is not 4"))?;
        }
    }
    Ok(())
}

/// Lets the upstream answer every request like this and calls the sample of a get.
fn against(
    lab: &ProbeCaller<'_>,
    answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
) -> ProbeStep<Answered> {
    against_with(lab, &[], answer)
}

fn against_with(
    lab: &ProbeCaller<'_>,
    more: &[(&str, &str)],
    answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
) -> ProbeStep<Answered> {
    let sample = lab.samples(Role::Get).next().ok_or_else(|| fail("there is no sample"))?;
    lab.with_upstream(|upstream| upstream.replace(answer))?;
    Ok(lab.run_as(Account::One, &sample.call(), more))
}

/// Calls the samples of lists while the upstream still answers as it was told last.
fn lists<'a>(lab: &'a ProbeCaller<'_>) -> impl Iterator<Item = (String, Answered)> + 'a {
    let samples = lab.samples(Role::List);
    samples.map(|sample| (sample.path.clone(), lab.run_as(Account::One, &sample.call(), &[])))
}

fn status(status: u16) -> Reply {
    Reply::new(status, JSON, "{\"error\":\"made up by aos conform\"}")
}

pub const HTTP_STATUSES: Probe = Probe {
    id: "cli.http-statuses",
    section: "§6",
    title: "Each HTTP status and each declared error of the upstream is mapped to its error code",
    why: "With a wrong code, an agent would, for example, retry a conflict forever",
    fix: "map statuses with the table in the generated contract module, and typed errors of the API before them",
    run: |session| examine(session, http_statuses),
    ..Probe::of(FAMILY)
};

fn http_statuses(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    for (name, code) in &lab.contract.http_status {
        let numbers: Vec<u16> = match name.as_str() {
            "5xx" => vec![500, 503],
            other => other.parse().into_iter().collect(),
        };
        for number in numbers {
            let shot = against(lab, move |_| status(number))?;
            shot.expect_code(&[code.as_str()], &format!("the status {number}"))?;
            for (path, shot) in lists(lab) {
                shot.expect_code(&[code.as_str()], &format!("the status {number} of `{path}`"))?;
            }
        }
    }
    let declared = lab.fixture.upstream.iter().flat_map(|upstream| &upstream.refusals);
    for refusal in declared {
        let answer = refusal.clone();
        let shot = against(lab, move |_| {
            let mut reply = Reply::new(answer.status, JSON, answer.body.clone());
            reply.headers.extend(answer.headers.clone());
            reply
        })?;
        let what = format!("a response {} with {}", refusal.status, excerpt(&refusal.body, 200));
        shot.expect_code(&[refusal.code.as_str()], &what)?;
        for (path, shot) in lists(lab) {
            shot.expect_code(&[refusal.code.as_str()], &format!("{what} to `{path}`"))?;
        }
    }
    Ok(())
}

/// The seconds to wait in a response with a rate limit.
const RETRY_AFTER: &str = "7";

pub const RATE_LIMITED_403: Probe = Probe {
    id: "cli.rate-limited-403",
    section: "§6",
    title: "A 403 that indicates a rate limit is E_RATE_LIMITED",
    why: "Some APIs return 403 instead of 429; then waiting helps, and asking the user does not",
    fix: "look at Retry-After and X-RateLimit-Remaining before mapping 403 to E_FORBIDDEN",
    run: |session| examine(session, rate_limited),
    ..Probe::of(FAMILY)
};

fn rate_limited(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    for header in [("X-RateLimit-Remaining", "0"), ("Retry-After", RETRY_AFTER)] {
        let shot = against(lab, move |_| {
            let mut reply = status(403);
            reply.headers.push((header.0.to_owned(), header.1.to_owned()));
            reply
        })?;
        let when = format!("403 with {}: {}", header.0, header.1);
        shot.expect_code(&["E_RATE_LIMITED"], &when)?;
        let wait = shot.at("/error/details/retry_after_s");
        let is_told =
            header.0 != "Retry-After" || wait.is_null() || wait.as_u64() == header.1.parse().ok();
        shot.expect(is_told, format!("{when} has the `retry_after_s` {wait}"))?;
        for (path, shot) in lists(lab) {
            shot.expect_code(&["E_RATE_LIMITED"], &format!("{when} of `{path}`"))?;
        }
    }
    Ok(())
}

pub const NO_MESSAGE_SNIFFING: Probe = Probe {
    id: "cli.no-message-sniffing",
    section: "§6",
    title: "The text of an error does not change its code",
    why: "Messages change and are translated; a server error with the text `not found` is still a server error",
    fix: "decide only by the status",
    run: |session| examine(session, no_sniffing),
    ..Probe::of(FAMILY)
};

fn no_sniffing(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    let body =
        "{\"error\":\"not found: unauthorized, timeout, rate limit, connection disconnect\"}";
    let shot = against(lab, move |_| Reply::new(500, JSON, body))?;
    shot.expect_code(&["E_SERVER"], "the status 500 with `not found` in its text")
}

pub const NETWORK_REFUSED: Probe = Probe {
    id: "cli.network-refused",
    section: "§6",
    title: "A refused or broken connection is E_NETWORK",
    why: "It is transient, so the agent can wait and retry",
    fix: "map every transport error to E_NETWORK",
    run: |session| examine(session, network_refused),
    ..Probe::of(FAMILY)
};

fn network_refused(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Get)?;
    let refusing = crate::system::loopback::refusing_url();
    let refusing =
        refusing.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    let variable = lab.session.base_url_env().unwrap_or_default();
    let shot = lab.run_as(Account::One, &sample.call(), &[(variable, &refusing)]);
    shot.expect_code(&["E_NETWORK"], "a refused connection")?;
    let shot = against(lab, |_| Reply { hangs_up: true, ..Reply::default() })?;
    shot.expect_code(&["E_NETWORK"], "a connection that closes without a response")?;
    let shot = against(lab, |_| Reply { cut_after: Some(4), ..status(200) })?;
    shot.expect_code(&["E_NETWORK", "E_SERVER"], "a truncated response")
}

pub const CLIENT_TIMEOUT: Probe = Probe {
    id: "cli.client-timeout",
    section: "§6",
    title: "An upstream that does not respond in time is E_TIMEOUT with exit code 8",
    why: "The agent may retry, and must not treat it as a response",
    fix: "set a timeout for every request, and map it to E_TIMEOUT",
    run: |session| examine(session, client_timeout),
    ..Probe::of(FAMILY)
};

fn client_timeout(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    let declared = lab.fixture.upstream.as_ref().and_then(|upstream| upstream.timeout.as_ref());
    let declared = declared.ok_or_else(|| {
        Unfinished::Blocked(
            "conform.toml does not say how to shorten the tool's timeout (`timeout`)".to_owned(),
        )
    })?;
    let more = [(declared.env.as_str(), declared.value.as_str())];
    let shot = against_with(lab, &more, |_| Reply { delay: TOO_SLOW, ..status(200) })?;
    shot.expect_code(&["E_TIMEOUT"], "an upstream that is too slow")
}

pub const REDIRECT: Probe = Probe {
    id: "cli.redirect-drops-credentials",
    section: "§10",
    title: "A redirect to another host does not carry the credential",
    why: "Otherwise a server could obtain the credential with a redirect",
    fix: "handle redirects in the client, and drop Authorization, cookies and keys when the host changes",
    run: |session| examine(session, redirect),
    ..Probe::of(FAMILY)
};

fn redirect(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    if lab.fixture.credentials.is_none() {
        return Err(Unfinished::Blocked("conform.toml has no [agent_cli.credentials]".to_owned()));
    }
    let elsewhere =
        Mock::with(std::sync::Arc::new(|_: &ReceivedRequest| Reply::new(200, JSON, "{}")));
    let elsewhere =
        elsewhere.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    let target = format!("{}/elsewhere", elsewhere.url());
    let secrets = lab.secrets();
    for number in [301, 302, 303, 307, 308] {
        let target = target.clone();
        let shot = against(lab, move |_| {
            let mut reply = status(number);
            reply.headers.push(("Location".to_owned(), target.clone()));
            reply
        })?;
        let carried = elsewhere.requests().iter().any(|request| {
            let mut texts: Vec<&str> =
                request.headers.iter().map(|(_, value)| value.as_str()).collect();
            texts.push(&request.target);
            texts.iter().any(|text| secrets.iter().any(|secret| secret.leak(text).is_some()))
        });
        let message = format!("the credential went to another host along a redirect ({number})");
        if carried {
            return Err(shot.fail(message));
        }
        // A call that never asked the upstream was not redirected.
        if shot.observed.connections > 0 {
            shot.judged();
        }
    }
    Ok(())
}

pub const NOT_JSON: Probe = Probe {
    id: "cli.not-json-reply",
    section: "§6",
    title: "A web page or broken JSON instead of a response is E_SERVER or E_NETWORK",
    why: "A proxy's login page must not cause a stack trace or be treated as data",
    fix: "validate every response before using it, and report errors in an envelope",
    run: |session| examine(session, not_json),
    ..Probe::of(FAMILY)
};

fn not_json(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Get)?;
    let pages = [("text/html", "<!doctype html><title>Sign in</title>"), (JSON, "{\"id\": 1, ")];
    for (kind, body) in pages {
        let shot = against(lab, move |_| Reply::new(200, kind, body))?;
        shot.expect(!shot.observed.has_traceback(), "a runtime error was printed")?;
        shot.expect_code(
            &["E_SERVER", "E_NETWORK"],
            &format!("a response of the type {kind} that is not JSON"),
        )?;
    }
    Ok(())
}
