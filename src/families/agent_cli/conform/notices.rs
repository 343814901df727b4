//! Notices of updates (agent-cli §3, §14): what a check leaves behind, and who shows it.

use semver::Version;

use super::lab::{ProbeCaller, examine};
use super::notice_source::NoticeSource;
use super::stop::ProbeStep;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

pub const NOTICES: Probe = Probe {
    id: "cli.notices",
    section: "§14",
    title: "After a check, every command shows the cached notice until the tool is current",
    why: "Agents that never call `update` must still learn of an update",
    fix: "keep the notice with all its keys, and drop it when the running version is not older",
    run: |session| examine(session, notices),
    ..Probe::of(FAMILY)
};

fn notices(lab: &ProbeCaller<'_>) -> ProbeStep {
    let mut host = NoticeSource::start(lab)?;
    let newer = host.newer();
    host.publish(&newer)?;
    let rules = &lab.contract.notices;
    for call in [["context"], ["changelog"]] {
        let shot = host.run(&call);
        let notice = shot.at("/meta/notices/0");
        shot.expect(
            notice.is_object(),
            format!("`{}` does not show the notice in `meta.notices`", call[0]),
        )?;
        for key in &rules.required_keys {
            shot.expect(notice.get(key.as_str()).is_some(), format!("the notice has no `{key}`"))?;
        }
        for (key, _) in notice.as_object().into_iter().flatten() {
            let mut keys = rules.required_keys.iter().chain(&rules.optional_keys);
            let known = keys.any(|each| each.as_str() == key);
            shot.expect(
                known,
                format!("the notice has `{key}`, which the contract does not know"),
            )?;
        }
        let latest = notice["latest_version"] == newer.to_string().as_str();
        shot.expect(latest, "the notice names a version other than that of the host")?;
        let kind = notice["type"].as_str().unwrap_or_default();
        shot.expect(kind == "update_available", format!("the notice has the type `{kind}`"))?;
        let severity = notice["severity"].as_str().unwrap_or_default();
        let is_known = rules.severities.iter().any(|each| each.as_str() == severity);
        shot.expect(is_known, format!("the notice has the severity `{severity}`"))?;
    }
    host.update_finds_nothing(&["--check"]);
    let shot = host.run(&["context"]);
    let notices = shot.at("/meta/notices").as_array().into_iter().flatten();
    // That the host shows less than before is a notice of its own.
    let stays = notices.into_iter().any(|notice| notice["type"] == "update_available");
    shot.expect(!stays, "the notice remains although the tool is current")
}

pub const SEVERITY: Probe = Probe {
    id: "cli.notice-severity",
    section: "§14",
    title: "A notice of a new major version has the severity warning, one of a patch release info",
    why: "Agents report a warning to the user, but not an info",
    fix: "compare the major versions, and add the entries of the verified changelog",
    run: |session| examine(session, severity),
    ..Probe::of(FAMILY)
};

fn severity(lab: &ProbeCaller<'_>) -> ProbeStep {
    let mut host = NoticeSource::start(lab)?;
    let major = Version::new(host.newer().major + 1, 0, 0);
    for (version, wanted) in [(host.newer(), "info"), (major, "warning")] {
        host.publish(&version)?;
        let shot = host.run(&["context"]);
        let found = shot.at("/meta/notices/0/severity").as_str().unwrap_or("nothing");
        shot.expect(found == wanted, format!("{version} has the severity {found}, not {wanted}"))?;
    }
    Ok(())
}

pub const CONTEXT_NOTICES: Probe = Probe {
    id: "cli.context-notices",
    section: "§11",
    title: "`context` has the cached notice in `data.notices`",
    why: "Agents read it before they start",
    fix: "read the cache in `context`, and omit the key if there is no notice",
    run: |session| examine(session, context_notices),
    ..Probe::of(FAMILY)
};

fn context_notices(lab: &ProbeCaller<'_>) -> ProbeStep {
    let mut host = NoticeSource::start(lab)?;
    host.publish(&host.newer())?;
    let shot = host.run(&["context"]);
    let kind = &shot.at("/data/notices/0")["type"];
    shot.expect(kind == "update_available", "`context` does not have the notice in `data.notices`")
}
