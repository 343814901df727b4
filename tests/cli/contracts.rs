//! The released contracts of this repository: frozen, and what the models of this program say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aos::contract::SpecTag;
use aos::families::agent_cli::contract::AgentCliContract;
use aos::families::harness::contract::HarnessContract;
use aos::generate::vendor::Contract;
use aos::plan::Digest;

use super::disk;

type Releases = BTreeMap<String, BTreeMap<String, String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contract")
}

/// `contract/releases.toml`: family and tag to file to digest.
fn recorded() -> Releases {
    let text = disk::read(&root().join("releases.toml"));
    toml_edit::de::from_str(&text).expect("releases.toml holds one table per release")
}

/// The families that this program knows: each has its contracts here.
fn families() -> Vec<String> {
    aos::families::install();
    aos::contract::Family::names().into_iter().map(str::to_owned).collect()
}

fn on_disk() -> Releases {
    let mut releases = Releases::new();
    for family in families() {
        for tag in disk::names(&root().join(&family)) {
            let directory = root().join(&family).join(&tag);
            let digest = |name: &String| {
                let bytes = std::fs::read(directory.join(name)).expect("a contract file");
                (name.clone(), Digest::of(&bytes).to_string())
            };
            let files = disk::names(&directory).iter().map(digest).collect();
            releases.insert(format!("{family}/{tag}"), files);
        }
    }
    releases
}

#[test]
fn no_released_byte_has_changed() {
    let (recorded, on_disk) = (recorded(), on_disk());
    for (release, files) in &recorded {
        assert_eq!(on_disk.get(release), Some(files), "{release} is released and must not change");
    }
    assert_eq!(
        recorded.keys().collect::<Vec<_>>(),
        on_disk.keys().collect::<Vec<_>>(),
        "a new release is added to contract/releases.toml: {on_disk:#?}"
    );
}

#[test]
fn every_family_has_the_seed_and_a_later_tag() {
    let releases = on_disk();
    for family in families() {
        for tag in ["v1.0.0", "v1.1.0"] {
            assert_eq!(releases[&format!("{family}/{tag}")].len(), 2, "{family} {tag}");
        }
    }
}

#[test]
fn every_contract_document_fits_its_model_and_its_place() {
    for release in on_disk().keys() {
        let (family, tag) = release.split_once('/').unwrap();
        let tag = SpecTag::parse(tag).unwrap();
        let bytes = std::fs::read(root().join(release).join("contract.json")).unwrap();
        Contract::parse(family.parse().expect(family), &tag, &bytes).expect(release);
    }
}

#[test]
fn a_later_tag_keeps_every_code_of_the_earlier_one() {
    let tag = |text: &str| SpecTag::parse(text).unwrap();
    let bytes = |release: &str| std::fs::read(root().join(release).join("contract.json")).unwrap();
    let old = AgentCliContract::parse(&bytes("agent-cli/v1.0.0"), &tag("v1.0.0")).unwrap();
    let new = AgentCliContract::parse(&bytes("agent-cli/v1.2.0"), &tag("v1.2.0")).unwrap();
    for (code, spec) in &old.error_codes.core {
        assert_eq!(new.error_codes.core.get(code), Some(spec), "{code}");
    }
    let old = HarnessContract::parse(&bytes("harness/v1.0.0"), &tag("v1.0.0")).unwrap();
    let new = HarnessContract::parse(&bytes("harness/v1.1.0"), &tag("v1.1.0")).unwrap();
    for (code, spec) in &old.error_codes {
        let now = new.error_codes.get(code).unwrap_or_else(|| panic!("{code} is gone"));
        assert_eq!((now.exit, now.retryable), (spec.exit, spec.retryable), "{code}");
    }
    let modes = |contract: &HarnessContract| {
        contract.modes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(modes(&old), modes(&new));
}

#[test]
fn the_numbers_of_the_seed_are_in_the_first_tag() {
    let bytes = std::fs::read(root().join("harness/v1.0.0/contract.json")).unwrap();
    let harness = HarnessContract::parse(&bytes, &SpecTag::parse("v1.0.0").unwrap()).unwrap();
    let codes: BTreeSet<_> = harness.exit_codes.iter().map(|exit| exit.code).collect();
    assert_eq!(codes, BTreeSet::from([0, 2, 3, 4, 5, 6, 10]));
    assert_eq!(
        harness.modes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["readonly", "write", "full", "admin"]
    );
    let bytes = std::fs::read(root().join("agent-cli/v1.0.0/contract.json")).unwrap();
    let cli = AgentCliContract::parse(&bytes, &SpecTag::parse("v1.0.0").unwrap()).unwrap();
    let exits: Vec<_> = cli.exit_codes.table.keys().map(String::as_str).collect();
    assert_eq!(exits, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "130"]);
}

#[test]
fn the_spec_text_names_every_code_of_its_contract() {
    for release in on_disk().keys() {
        let directory = root().join(release);
        let spec =
            disk::names(&directory).into_iter().find(|name| name.ends_with("-SPEC.md")).unwrap();
        let text = disk::read(&directory.join(spec));
        let contract: serde_json::Value =
            serde_json::from_str(&disk::read(&directory.join("contract.json"))).unwrap();
        let codes = contract.get("error_codes").or_else(|| contract.get("error")?.get("codes"));
        // Adapters have no codes, and the seed of augmentors leaves them open.
        let has_none = release.starts_with("agent-adapter/") || release == "augmentor/v1.0.0";
        let codes = codes.map(|codes| codes.get("core").unwrap_or(codes));
        let codes = codes.and_then(|codes| codes.as_object()).cloned().unwrap_or_default();
        assert_eq!(codes.is_empty(), has_none, "{release}");
        for code in codes.keys() {
            assert!(text.contains(code.as_str()), "{release}: the text does not name {code}");
        }
    }
}

#[test]
fn every_schema_is_a_json_document_with_a_title() {
    for directory in [root().join("schema"), root().join("schema/answers")] {
        for name in disk::names(&directory).iter().filter(|name| name.ends_with(".json")) {
            let schema: serde_json::Value =
                serde_json::from_str(&disk::read(&directory.join(name))).expect(name);
            assert!(schema["$schema"].is_string() && schema["title"].is_string(), "{name}");
        }
    }
}
