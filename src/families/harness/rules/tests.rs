//! Properties of the registry, and of the rules for any input.

use super::all::{RULES, check_harness};
use super::facts::HarnessFacts;
use super::sample::{Sample, facts_v1_0, facts_v1_1, only};
use crate::contract::findings::Finding;
use crate::contract::repository::ProjectFiles;

#[test]
fn a_well_formed_connector_has_no_findings() {
    assert_eq!(Sample::good().to_string(), "");
    assert!(check_harness(&ProjectFiles::default(), &HarnessFacts::default()).len() >= 3);
}

#[test]
fn the_same_repository_gives_the_same_findings_in_order() {
    let sample = Sample::good().without("connector.json").code("print(token[:4])\n");
    let first = check_harness(&sample.repository, &facts_v1_1());
    assert!(first.is_sorted() && !first.is_empty());
    assert_eq!(first, check_harness(&sample.repository, &facts_v1_1()));
}

#[test]
fn no_mutation_of_any_file_makes_a_rule_panic() {
    let facts = [facts_v1_0(), facts_v1_1(), HarnessFacts::default()];
    let paths = [
        "connector.json",
        "agent-harness/permissions.json",
        "agent-harness/pyproject.toml",
        "agent-harness/aos_demo/commands/issue.py",
        "agent-harness/aos_demo/client.py",
    ];
    let pieces: [&[u8]; 14] = [
        b"null",
        b"[]",
        b"{}",
        b"-1e999",
        b"\"",
        b"\\ud800",
        b",",
        b"{\"a\":",
        b"\xff",
        b"\n",
        b"[[[[",
        b"\xef\xbb\xbf",
        b"Z",
        b"'''",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for round in 0..1500 {
        let path = paths[random(paths.len())];
        let mut bytes = Sample::good().text(path).into_bytes();
        for _ in 0..=random(5) {
            let at = random(bytes.len());
            let end = (at + random(24)).min(bytes.len());
            match random(4) {
                0 => drop(bytes.splice(at..end, pieces[random(pieces.len())].iter().copied())),
                1 => drop(bytes.splice(at..end, [])),
                2 => bytes.truncate(at),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
        let sample = Sample::good().bytes(path, bytes);
        let findings = check_harness(&sample.repository, &facts[round % 3]);
        let known = |finding: &Finding| RULES.iter().any(|rule| rule.id == finding.rule);
        assert!(findings.iter().all(known));
    }
}

#[test]
fn a_manifest_of_thousands_of_faults_is_judged_in_bounded_output() {
    let ids: Vec<String> = (0..20_000).map(|index| format!("{{\"id\": \"x {index}\"}}")).collect();
    let list = ids.join(",");
    let text = format!("{{\"commands\":[{list}],\"scope\":{{\"fields\":[{list}]}}}}");
    let sample = Sample::good().file("connector.json", &text);
    let findings = check_harness(&sample.repository, &facts_v1_1());
    assert!(findings.len() < 201 * RULES.len());
    assert!(findings.iter().any(|finding| finding.message.starts_with("… and")));
    let huge = format!("{{\"tool\":\"{}\"}}", "é".repeat(400_000));
    let sample = Sample::good().file("connector.json", &huge);
    let findings = check_harness(&sample.repository, &facts_v1_1());
    assert!(findings.iter().all(|finding| finding.message.len() < 1000));
}

#[test]
fn every_rule_is_complete_and_its_id_is_unique() {
    let mut ids = std::collections::BTreeSet::new();
    for rule in RULES {
        assert!(ids.insert(rule.id), "`{}` stands twice", rule.id);
        let topic = rule.id.split('/').next().unwrap();
        assert!(
            ["manifest", "permissions", "pyproject", "python", "layout", "auth", "fields"]
                .contains(&topic)
                || ["commands", "secrets"].contains(&topic),
            "{}",
            rule.id
        );
        for text in [rule.summary, rule.why, rule.fix, rule.source] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: `{text}`", rule.id);
        }
    }
}

#[test]
fn sources_in_the_runtime_are_judged_like_all_others_and_its_test_kit_like_tests() {
    for (code, rule) in [
        ("x = os.environ[\"AOS_DEMO_TOKEN\"]\n", "auth/undeclared-secret"),
        ("os.system(line)\n", "python/shell"),
        ("P = ROOT / \"permissions.json\"\n", "python/unpackaged-file"),
        ("P = Path(__file__).resolve().parents[2] / \"x\"\n", "python/outside-package"),
        ("reply = urlopen(request)\n", "python/no-timeout"),
        ("u = f\"{base}?api_token={token}\"\n", "secrets/in-url"),
        ("def _mask(v):\n    return f\"{v[:4]}***\"\n", "secrets/partial-mask"),
        ("@command(\"issue.burn\")\ndef burn(inputs, api): pass\n", "commands/handler-unknown"),
        ("__version__ = \"9.9.9\"\n", "pyproject/version"),
        ("def broken(:\n    pass\n", "python/unreadable"),
        ("print('starting')\n", "python/module-output"),
    ] {
        let runtime = "agent-harness/aos_demo/_runtime";
        assert_eq!(only(&Sample::good().file(&format!("{runtime}/x.py"), code)), [rule], "{code}");
        let kit = Sample::good().file(&format!("{runtime}/testkit/x.py"), code);
        assert_eq!(only(&kit), [""; 0], "{code}");
        // The name of the directory alone makes no test of a source.
        let other = Sample::good().file("agent-harness/aos_demo/testkit/x.py", code);
        assert_eq!(only(&other), [rule], "{code}");
    }
    let secret = format!("ghp_{}", "a7Qk2Zr9Bx4Lm6Tw".repeat(3));
    let kit = "agent-harness/aos_demo/_runtime/testkit/x.py";
    let sample = Sample::good().file(kit, &format!("KEY = \"{secret}\"\n"));
    assert_eq!(only(&sample), ["secrets/committed"]);
}
