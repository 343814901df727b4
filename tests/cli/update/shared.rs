//! The faults of releases that every language is tested with, against aos: those of the host, the signer and the list
//! of checksums. Archives of aos have another shape; their faults are in `archive`.

use serde_json::Value;

use super::host::Reply;
use super::setup::{
    BUNDLE, CHECKSUMS, LATEST, NEWER, REPOSITORY, Release, Row, Setup, archive_name, asset, listed,
    tagged,
};
use crate::sigstore::{Name, Sigstore};

const SHARED: &str = include_str!("../../../runtime/fixtures/update_faults.json");

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

fn filled(text: &str) -> String {
    text.replace("{version}", NEWER).replace("{repository}", REPOSITORY)
}

/// The exit code of a code, by the contract.
fn exit(code: &str) -> i32 {
    match code {
        "E_INTEGRITY" => 1,
        "E_NOT_FOUND" => 3,
        "E_AUTH" | "E_FORBIDDEN" | "E_CONFIG" => 4,
        "E_NETWORK" | "E_RATE_LIMITED" | "E_SERVER" => 7,
        "E_TIMEOUT" => 8,
        _ => panic!("{code}"),
    }
}

/// Sets what the host does at the place that a row names.
fn reply(setup: &Setup, place: &str, reply: impl Fn() -> Reply) {
    let archive = archive_name(NEWER);
    match place {
        "api" => {
            setup.host.set(LATEST, reply());
            setup.host.set("/repos/again", reply());
        }
        "archive" => setup.host.set(&asset(NEWER, &archive), reply()),
        file => setup.host.set(&asset(NEWER, file), reply()),
    }
}

fn answer(setup: &Setup, how: &Value) {
    let times = how["times"].as_u64().unwrap_or(1);
    let body = filled(text(how, "body")).repeat(usize::try_from(times).expect("a count"));
    let headers = how["headers"].as_object().into_iter().flatten();
    let headers: Vec<_> =
        headers.map(|(name, value)| (name.as_str(), value.as_str().expect("text"))).collect();
    let status = u16::try_from(how["status"].as_u64().expect("a status")).expect("a status");
    reply(setup, text(how, "at"), || Reply::body(status, &headers, body.as_bytes()));
}

fn describe(setup: &Setup, change: &Value) {
    let mut document = Release::new(NEWER).describe(&setup.host, &setup.sigstore);
    let members = document.as_object_mut().expect("an object");
    let set = change["set"].as_object().into_iter().flatten();
    members.extend(set.map(|(name, value)| (name.clone(), value.clone())));
    members.remove(text(change, "remove"));
    let dropped = text(change, "drop").replace("archive", &archive_name(NEWER));
    if let Some(assets) = members.get_mut("assets").and_then(Value::as_array_mut) {
        assets.retain(|asset| asset["name"] != dropped.as_str());
        for asset in assets.iter_mut().filter(|_| change.get("address").is_some()) {
            asset["browser_download_url"] = change["address"].clone();
        }
        if change["twice"] == true {
            assets.extend(assets.clone());
        }
    }
    for path in [LATEST, &tagged("90.0.1")] {
        setup.host.set(path, Reply::json(&document));
    }
}

/// Publishes the release with what a row changes of it; false when aos has no such case.
fn publish(setup: &Setup, row: &Value) -> bool {
    let mut release = Release::new(NEWER);
    let name = archive_name(NEWER);
    let line = listed(&name, &release.archive);
    if let Some(how) = row.get("signing") {
        if how.get("fault").is_some() {
            return false;
        }
        if let (Some(pair), Name::Uri(uri)) = (how["identity"].as_array(), &release.signing.name) {
            let [old, new] = [&pair[0], &pair[1]].map(|part| filled(part.as_str().expect("text")));
            assert!(uri.contains(&old), "{uri}");
            release.signing.name = Name::Uri(uri.replacen(&old, &new, 1));
        }
        if let Some(issuer) = how["issuer"].as_str() {
            issuer.clone_into(&mut release.signing.issuer);
        }
    } else if let Some(list) = row["list"].as_str() {
        release.checksums = Some(list.as_bytes().to_vec());
    } else if let Some(form) = row["line"].as_str() {
        let digest = line.split(' ').next().expect("a digest");
        let changed = form
            .replace("{digest}", digest)
            .replace("{short}", &digest[2..])
            .replace("{name}", &name);
        let changelog = release.changelog.clone().expect("a changelog");
        let rest = listed("CHANGELOG.md", changelog.as_bytes());
        let list = format!("{changed}\n{rest}");
        release.checksums = Some(list.trim_start().as_bytes().to_vec());
    } else if let Some(change) = row.get("after_signing") {
        let changelog = release.changelog.clone().expect("a changelog");
        let list = line + &listed("CHANGELOG.md", changelog.as_bytes());
        let foreign = Sigstore::new();
        let signer = if change["foreign"] == true { &foreign } else { &setup.sigstore };
        let bundle = signer.sign(list.as_bytes(), &release.signing).to_string();
        let start = change["bundle_begins_with"].as_str().unwrap_or("{");
        release.bundle = Some(bundle.replacen('{', start, 1).into_bytes());
        release.checksums = Some((list + text(change, "list_ends_with")).into_bytes());
    } else {
        return row.get("target").is_some();
    }
    setup.publish(&release);
    true
}

/// Makes the one thing wrong that a row names; false when aos has no such case.
fn spoil(setup: &Setup, row: &Value) -> bool {
    if let Some(how) = row.get("answer") {
        answer(setup, how);
    } else if let Some(how) = row.get("raw") {
        let bytes = text(how, "bytes").as_bytes();
        reply(setup, text(how, "at"), || Reply::wire(bytes).then_reset());
    } else if let Some(how) = row.get("does") {
        setup.impatient();
        reply(setup, text(how, "at"), || match text(how, "what") {
            "hang" => Reply::wire(b"").then_stall(),
            "stall" => Reply::cut(1000, b"abc").then_stall(),
            "drip" => Reply::cut(1000, b"a").then_drip(),
            "endless" => Reply::unbounded(b"").then_flood(),
            other => panic!("{other}"),
        });
    } else if let Some(change) = row.get("description") {
        describe(setup, change);
    } else {
        return publish(setup, row);
    }
    true
}

#[test]
fn a_release_with_a_fault_that_every_language_knows_is_not_installed() {
    let shared: Value = serde_json::from_str(SHARED).expect("JSON");
    let (mut judged, mut wrong) = (0, Vec::new());
    for group in ["discover", "download", "checksum", "signature"] {
        for row in shared["groups"][group].as_array().expect("rows") {
            let setup = Setup::new();
            if !spoil(&setup, row) {
                continue;
            }
            println!("{group}: {}", row["case"]);
            let target = row["target"].as_str();
            let arguments: Vec<_> =
                target.into_iter().flat_map(|version| ["--target-version", version]).collect();
            let [stage, code] = ["stage", "code"].map(|member| text(row, member).to_owned());
            let wanted = Row { stage: stage.leak(), exit: exit(&code), code: code.leak() };
            // Every row is tried, so that one run shows all that differ.
            let call = || setup.fails(wanted, &arguments);
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
                wrong.push(format!("{group}: {}", row["case"]));
            }
            judged += 1;
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(judged > 50, "{judged}");
    assert_eq!((CHECKSUMS, BUNDLE), ("checksums.txt", "checksums.txt.sigstore.json"));
}
