//! Creates that can be repeated (agent-cli §9): the same key never creates two objects.

use super::fixture::Role;
use super::gate::{conflicts, meant, token};
use super::lab::{Account, ProbeCaller, and, examine};
use super::listing::params;
use super::stop::ProbeStep;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

pub const IDEMPOTENCY_KEY: Probe = Probe {
    id: "cli.idempotency-key",
    section: "§9",
    title: "The idempotency key of a create is forwarded and included in the token; used twice, it creates one object",
    why: "It makes a create safe to repeat",
    fix: "forward the key to the upstream, and include it in the token",
    run: |session| examine(session, idempotency_key),
    ..Probe::of(FAMILY)
};

fn idempotency_key(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let command = lab.declared(&sample.path)?;
    let flag =
        params(&command).find(|name| ["idempotency-key", "request-id"].contains(&name.as_str()));
    let Some(flag) = flag else {
        return Err(lab.absent(&format!("`{}` declares no such key", sample.path)));
    };
    let flag = format!("--{flag}");
    let keyed = |key: &str| and(&meant(lab, sample, &sample.call()), &[&flag, key]);
    let (one, two) = (keyed("aos-conform-key-1"), keyed("aos-conform-key-2"));
    let first = token(lab, &one)?;
    conflicts(lab, Account::One, &two, &first, "a token for another key")?;
    let made = lab.call(&and(&one, &["--confirm", &first]));
    made.expect(made.is_ok(), "a create with a key fails")?;
    let sent = lab.with_upstream(|upstream| {
        let carries = |text: &str| text.contains("aos-conform-key-1");
        upstream.mock.requests().iter().any(|request| {
            request.headers.iter().any(|(_, value)| carries(value))
                || carries(&String::from_utf8_lossy(&request.body))
        })
    })?;
    made.expect(sent, "the key does not reach the upstream")?;
    let second = token(lab, &one)?;
    let again = lab.call(&and(&one, &["--confirm", &second]));
    let same = again.is_ok() && again.at("/data/id") == made.at("/data/id");
    again.expect(same, "the same key used twice does not lead to one object")
}
