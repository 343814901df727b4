//! Lessons from real connectors: each test is a shape that was once reported wrongly or not at all.

use super::all::check_harness;
use super::sample::{Sample, facts_v1_0, findings, only, only_v1_0};
use crate::contract::findings::Finding;

const CLI: &str = "agent-harness/aos_demo/cli.py";

/// The good sample with a click command line in `cli.py` and nothing registered by id.
fn click(cli: &str) -> Sample {
    Sample::good()
        .without("agent-harness/aos_demo/commands/issue.py")
        .without("agent-harness/aos_demo/registry.py")
        .file(CLI, cli)
}

/// Groups and commands of the sample's manifest, hung together by `add_command` as in aos-nanob.
const LOOSE: &str = "import click\n\n@click.group()\ndef cli(): pass\n\n@click.command(\"capabilities\")\ndef capabilities(): pass\n\n@click.command(\"health\")\ndef health(): pass\n\n@click.group(\"config\")\ndef config_group(): pass\n\n@config_group.command(\"show\")\ndef config_show(): pass\n\n@click.group(\"issue\")\ndef issue_group(): pass\n\n@issue_group.command(\"list\")\n@click.option(\"--owner\")\n@click.option(\"--state\")\ndef issue_list(): pass\n\n@issue_group.command(\"get\")\n@click.option(\"--owner\")\n@click.option(\"--issue-number\")\ndef issue_get(): pass\n\n@issue_group.command(\"create\")\n@click.option(\"--owner\")\n@click.option(\"--title\")\ndef issue_create(): pass\n\n@click.command(\"rm\")\n@click.option(\"--owner\")\n@click.option(\"--issue-number\")\ndef issue_rm(): pass\n\n\ndef register(cli):\n    cli.add_command(capabilities)\n    cli.add_command(health)\n    cli.add_command(config_group)\n    cli.add_command(issue_group)\n    issue_group.add_command(issue_rm, \"delete\")\n\n\nregister(cli)\n\n\ndef main(): cli()\n";

fn rule<'f>(findings: &'f [Finding], id: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.rule == id).collect()
}

#[test]
fn a_field_needs_one_widget_that_the_canvas_knows_not_both_members() {
    let field = "\"label\": \"Title\",\n        \"type\": \"string\"";
    let with = |text: &str| only(&Sample::good().manifest(field, text));
    assert_eq!(with("\"label\": \"Title\",\n        \"renderAs\": \"text\""), [""; 0]);
    assert_eq!(
        with("\"label\": \"Title\",\n        \"type\": \"strng\",\n        \"renderAs\": \"text\""),
        [""; 0]
    );
    assert_eq!(
        with("\"label\": \"Title\",\n        \"type\": \"string\",\n        \"renderAs\": \"txt\""),
        [""; 0]
    );
    assert_eq!(with("\"label\": \"Title\""), ["fields/incomplete"]);
    assert_eq!(with("\"label\": \"Title\",\n        \"type\": \"strng\""), ["fields/incomplete"]);
}

#[test]
fn groups_and_commands_are_found_where_add_command_hangs_them() {
    assert_eq!(click(LOOSE).to_string(), "");
    let renamed = LOOSE.replace("issue_rm, \"delete\"", "issue_rm, name=\"remove\"");
    assert_eq!(only(&click(&renamed)), ["commands/handler-unknown", "commands/handler-missing"]);
}

#[test]
fn a_group_that_is_never_added_is_not_part_of_the_command_line() {
    let text = LOOSE.replace("    cli.add_command(issue_group)\n", "");
    assert_eq!(only(&click(&text)), [""; 0]);
    let text = LOOSE
        .replace("cli.add_command(issue_group)", "for group in GROUPS: cli.add_command(group)");
    assert_eq!(only(&click(&text)), [""; 0]);
}

#[test]
fn the_group_that_the_script_names_is_the_root() {
    let text = LOOSE
        .replace("def cli(): pass", "def aos(): pass\n\n@click.group()\ndef cli(): pass")
        .replace("register(cli)\n\n", "register(aos)\n\n")
        .replace("def register(cli)", "def register(aos)")
        .replace("    cli.add_command", "    aos.add_command");
    let sample = click(&text).pyproject("aos_demo.cli:main", "aos_demo.cli:aos");
    assert_eq!(sample.to_string(), "");
}

#[test]
fn a_dot_in_a_name_is_not_a_group() {
    let text = LOOSE
        .replace(
            "issue_rm, \"delete\"",
            "issue_rm, \"delete\")\n    cli.add_command(ping, \"issue.ping\"",
        )
        .replace(
            "@click.command(\"rm\")",
            "@click.command(\"ping\")\ndef ping(): pass\n\n@click.command(\"rm\")",
        );
    let unknown = findings(&click(&text));
    assert_eq!(rule(&unknown, "commands/handler-unknown").len(), 1, "{unknown:?}");
    let dotted = LOOSE.replace("\"issue\")\ndef", "\"issues\")\ndef").replace(
        "    issue_group.add_command(issue_rm, \"delete\")\n",
        "    cli.add_command(issue_rm, \"issue.delete\")\n    cli.add_command(issue_list, \"issue.list\")\n    cli.add_command(issue_get, \"issue.get\")\n    cli.add_command(issue_create, \"issue.create\")\n",
    );
    let found = findings(&click(&dotted));
    let named = rule(&found, "commands/cli-name");
    assert_eq!(named.len(), 4, "{found:?}");
    assert!(named[0].message.contains("one word"), "{:?}", named[0]);
}

#[test]
fn a_climb_that_only_serves_the_manifest_is_one_finding() {
    for code in [
        "ROOT = Path(__file__).resolve().parents[2]\nCONNECTOR = ROOT.parent / \"connector.json\"\nMODES = ROOT / \"permissions.json\"\n",
        "MODES = Path(__file__).resolve().parents[2] / \"permissions.json\"\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), ["python/unpackaged-file"], "{code}");
    }
    let other = "ROOT = Path(__file__).resolve().parents[2]\nMODES = ROOT / \"permissions.json\"\nDATA = ROOT / \"data\"\n";
    assert_eq!(
        only(&Sample::good().code(other)),
        ["python/outside-package", "python/unpackaged-file"]
    );
    let elsewhere = Sample::good()
        .code("ROOT = Path(__file__).resolve().parents[2]\nMODES = ROOT / \"permissions.json\"\n")
        .file(
            "agent-harness/aos_demo/use.py",
            "from .more import ROOT\n\nDATA = ROOT / \"data\"\n",
        );
    assert_eq!(only(&elsewhere), ["python/outside-package", "python/unpackaged-file"]);
}

#[test]
fn a_picker_whose_source_needs_arguments_stays_empty() {
    let rules = ["fields/picker-arguments"];
    let source = "\"source_command\": \"issue.list\"";
    let by_command = Sample::good().manifest(source, "\"source_command\": \"issue.get\"");
    assert_eq!(only(&by_command), rules);
    let owner = "\"required\": false,\n        \"applies_to\": [\"issue.list\", ";
    let with = |text: &str| only(&Sample::good().manifest(owner, text));
    assert_eq!(with("\"required\": true,\n        \"applies_to\": [\"issue.list\", "), rules);
    assert_eq!(with("\"required\": true,\n        \"applies_to\": ["), [""; 0]);
    assert_eq!(
        with(
            "\"required\": true,\n        \"default\": \"me\",\n        \"applies_to\": [\"issue.list\", "
        ),
        [""; 0]
    );
    let everywhere = Sample::good()
        .manifest("\"required\": false,\n        \"applies_to\": [\"issue.list\", \"issue.get\", \"issue.create\", \"issue.delete\"]", "\"required\": true");
    assert_eq!(only(&everywhere), rules);
    let unused = Sample::good().manifest(
        "\"pickerHint\": \"issue\",\n        ",
        "\"pickerHint\": \"issue.get\",\n        ",
    );
    assert_eq!(only(&unused), rules, "a hint may name a command");
}

#[test]
fn the_widget_that_counts_decides_whether_options_are_needed() {
    let field = "\"type\": \"string\",\n        \"applies_to\": [\"issue.create\"]";
    let with = |text: &str| {
        let to = format!("{text},\n        \"applies_to\": [\"issue.create\"]");
        only(&Sample::good().manifest(field, &to))
    };
    assert_eq!(
        with("\"type\": \"string\",\n        \"renderAs\": \"select\""),
        ["fields/select-options"]
    );
    assert_eq!(with("\"renderAs\": \"select\""), ["fields/select-options"]);
    assert_eq!(with("\"type\": \"select\",\n        \"renderAs\": \"text\""), [""; 0]);
}

#[test]
fn a_write_whose_summary_admits_that_it_is_a_scaffold_is_reported() {
    for summary in [
        "Scaffold an issue payload",
        "Scaffolded: create an issue",
        "Scaffold-only preview for creating an issue",
        "Create an issue (stub)",
        "Placeholder for creating an issue",
        "Create an issue, not yet implemented",
    ] {
        let sample = Sample::good().manifest("\"Create an issue\"", &format!("\"{summary}\""));
        assert_eq!(only(&sample), ["manifest/scaffold-writes"], "{summary}");
    }
    for summary in
        ["Create an issue with placeholders", "Create a stub issue", "Fill a placeholder"]
    {
        let sample = Sample::good().manifest("\"Create an issue\"", &format!("\"{summary}\""));
        assert_eq!(only(&sample), [""; 0], "{summary}");
    }
    let read = Sample::good().manifest("\"List issues\"", "\"Scaffold for listing issues\"");
    assert_eq!(only(&read), [""; 0]);
    let own = Sample::good()
        .renamed("issue.create", "issue.scaffold")
        .manifest("\"Create an issue\"", "\"Scaffold an issue\"");
    assert_eq!(only(&own), [""; 0]);
}

#[test]
fn secrets_are_found_in_every_way_the_fleet_names_them() {
    for code in [
        "x = _first_present(\"DEMO_TOKEN\", \"AOS_DEMO_TOKEN\")\n",
        "x = _first_present(\n    \"DEMO_TOKEN\",\n    \"DEMO_LEGACY_TOKEN\",\n)\n",
        "x = env_first(\"DEMO_TOKEN\", \"DEMO_LEGACY_TOKEN\")\n",
        "ENV_HOOK = \"DEMO_WEBHOOK_SECRET\"\n",
        "ENV_KEYS = (\"DEMO_TOKEN\", \"DEMO_LEGACY_TOKEN\")\n",
        "KEY_ENV: str = \"DEMO_LEGACY_TOKEN\"\n",
        "NAMES = [\"DEMO_TOKEN\", \"AOS_DEMO_TOKEN\"]\n",
        "x = os.environ[\"DEMO_ROUTING_KEY\"]\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), ["auth/undeclared-secret"], "{code}");
    }
    for code in [
        "x = os.environ.get(\"DEMO_TOKEN\", \"AOS_MODE\")\n",
        "CODES = (\"INVALID_TOKEN\", \"MISSING_API_KEY\")\n",
        "ENVELOPE_CODES = (\"INVALID_TOKEN\", \"x\")\n",
        "x = error_envelope(\"issue.list\", \"INVALID_TOKEN\")\n",
        "\"\"\"AOS_DEMO_TOKEN\"\"\"\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), [""; 0], "{code}");
    }
}

#[test]
fn scripts_beside_the_package_are_searched_for_secrets_too() {
    let code = "import os\nx = os.environ[\"OTHER_TOKEN\"] or os.environ[\"AOS_OTHER_TOKEN\"]\n";
    let at = |path: &str| only(&Sample::good().file(path, code));
    assert_eq!(at("installer/preflight.py"), ["auth/undeclared-secret"; 2]);
    // The host does not call scripts that a person runs to publish the connector.
    assert_eq!(at("scripts/release.py"), ["auth/undeclared-secret"]);
    assert_eq!(at("tests/test_live.py"), [""; 0]);
    assert_eq!(at("agent-harness/aos_demo/contract_gen.py"), [""; 0]);
}

#[test]
fn secrets_in_any_part_of_a_url_are_reported() {
    for code in [
        "u = f\"https://api.telegram.org/bot{token}/{method}\"\n",
        "u = f\"{self._base_url}/bot{self._token}/{method}\"\n",
        "u = f\"https://{user}:{password}@host/x\"\n",
        "u = f\"https://host/{quote(api_key)}/x\"\n",
        "u = \"https://host/x?access_token=%s\" % token\n",
        "u = \"https://host/x?access_token={}\".format(token)\n",
        "params = dict(api_key=self._api_key)\n",
        "get(url, params=dict(limit=1, api_key=secret))\n",
        "params[\"api_key\"] = self._api_key\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), ["secrets/in-url"], "{code}");
    }
    for code in [
        "u = f\"https://host/issue/{key}?page={page_token}\"\n",
        "u = f\"https://host/{token_count}/{mask(token)}\"\n",
        "u = f\"{self.base_url}/secrets/{secret_name}\"\n",
        "u = f\"https://host/secrets/{secret}\"\n",
        "h = f\"Bearer {token}\"\n",
        "h = f\"{email}/token:{token}\"\n",
        "body = dict(api_key=self._api_key)\n",
        "client = Client(api_key=api_key, params=params)\n",
        "if token == other: pass\n",
        "body[\"api_key\"] = self._api_key\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), [""; 0], "{code}");
    }
}

#[test]
fn masks_with_a_computed_or_stated_start_are_reported() {
    for code in [
        "x = token[0:4]\n",
        "def _redact(value, keep=4):\n    return f\"{value[-keep:]}\"\n",
        "x = api_token[:visible]\n",
        "x = f\"{api_token[-shown:]}\"\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), ["secrets/partial-mask"], "{code}");
    }
    for code in [
        "x = key[:limit]\n",
        "x = key[:prefix_length]\n",
        "x = rows[0:4]\n",
        "x = names[-keep:]\n",
        "x = token[at:]\n",
        "def redact(text, start, end):\n    return text[:start] + text[end:]\n",
    ] {
        assert_eq!(only(&Sample::good().code(code)), [""; 0], "{code}");
    }
}

#[test]
fn addresses_with_a_default_and_and_or_are_optional() {
    let keys = |keys: &str, line: &str| {
        Sample::good()
            .manifest("[\"DEMO_TOKEN\"]", keys)
            .manifest("Add DEMO_TOKEN in API Keys", line)
    };
    let both = "[\"DEMO_TOKEN\", \"DEMO_BASE_URL\"]";
    let rules = ["auth/optional-as-required"];
    assert_eq!(only(&keys(both, "Add DEMO_TOKEN in API Keys")), rules);
    let line = "Add DEMO_TOKEN; DEMO_BASE_URL has the default https://demo.test";
    assert_eq!(only(&keys(both, line)), rules);
    let asked = keys(both, "Add DEMO_TOKEN and DEMO_BASE_URL, the address of your site");
    assert_eq!(only(&asked), [""; 0]);
    let code = "BASE = os.environ.get(\"DEMO_BASE_URL\", \"https://demo.test\")\n";
    assert_eq!(only(&asked.clone().code(code)), rules);
    assert_eq!(only(&asked.code("BASE = os.environ.get(\"DEMO_BASE_URL\", \"\")\n")), [""; 0]);
    let hook = keys("[\"DEMO_TOKEN\", \"DEMO_SITE_URL\"]", "Add DEMO_TOKEN in API Keys");
    assert_eq!(only(&hook), [""; 0]);
    let either = keys("[\"DEMO_TOKEN\", \"DEMO_KEY\"]", "Add DEMO_TOKEN and/or DEMO_KEY");
    assert_eq!(only(&either), ["auth/one-of"]);
}

#[test]
fn only_the_words_of_the_probe_are_the_words_of_health() {
    let silent =
        Sample::good().replaced("agent-harness/aos_demo/client.py", "def health", "def words");
    let health =
        "def health_snapshot(ok):\n    return {\"status\": \"ready\" if ok else \"degraded\"}\n";
    let rules = ["python/health-status"];
    assert_eq!(only(&silent.clone().code(health)), rules, "`healthy` elsewhere does not help");
    let compared = "def probe(ok):\n    if ok == \"healthy\":\n        return \"ready\"\n";
    assert_eq!(only(&silent.clone().code(compared)), rules);
    let good = "def health(ok):\n    return {\"status\": \"healthy\", \"canvas\": \"ready\"}\n";
    assert_eq!(only(&silent.clone().code(good)), [""; 0]);
    let constant = "HEALTHY = \"healthy\"\n\n\ndef health(ok):\n    return (HEALTHY, \"ready\")\n";
    assert_eq!(only(&silent.clone().code(constant)), [""; 0]);
    let pull = "def pull_request(pr):\n    return \"ready\"\n";
    assert_eq!(only(&silent.code(pull)), [""; 0]);
}

#[test]
fn a_manifest_without_any_level_still_names_what_the_index_misreads() {
    let mut text = Sample::good().text("connector.json");
    for level in ["none", "external_mutation"] {
        text = text.replace(&format!(",\n      \"side_effect_level\": \"{level}\""), "");
    }
    text = text
        .replace("\"side_effect_level\": \"none\",\n      ", "")
        .replace("\"side_effect_level\": \"external_mutation\",\n      ", "");
    let sample = Sample::good().file("connector.json", &text);
    assert_eq!(only(&sample), ["manifest/missing-key", "commands/side-effect-missing"]);
    assert_eq!(only_v1_0(&sample), ["commands/side-effect-missing"]);
}

#[test]
fn a_fix_that_needs_a_record_says_how_to_get_one() {
    let broken = Sample::good().without("agent-harness/permissions.json");
    let fix = |sample: &Sample| findings(sample)[0].fix.clone();
    assert_eq!(fix(&broken), "run `aos sync-spec`, then `aos gen`");
    assert_eq!(fix(&broken.file("aos.toml", "")), "run `aos gen`");
}

#[test]
fn messages_say_what_is_the_matter() {
    let at_write = |id: &str| {
        Sample::good()
            .manifest("\"required_mode\": \"admin\"", "\"required_mode\": \"write\"")
            .permissions("\"issue.delete\": \"admin\"", "\"issue.delete\": \"write\"")
            .renamed("issue.delete", id)
    };
    let found = findings(&at_write("issue.merge"));
    assert!(found[0].message.contains("the contract reserves the verb `merge`"), "{found:?}");
    let first = check_harness(&at_write("issue.prune").repository, &facts_v1_0());
    assert!(!rule(&first, "commands/irreversible-mode").is_empty(), "{first:?}");

    let alias = Sample::good().renamed("issue.get", "health.check");
    let found = findings(&alias);
    assert_eq!(rule(&found, "commands/id-is-group")[0].fix, "remove the alias `health.check`");

    let odd = Sample::good()
        .manifest("\"action_class\": \"destructive\"", "\"action_class\": \"read-sensitive\"");
    let found = findings(&odd);
    let class = rule(&found, "commands/action-class")[0];
    assert!(!class.message.contains("did you mean"), "{class:?}");
}

#[test]
fn time_limits_of_programs_are_told_from_those_of_requests() {
    let client = "agent-harness/aos_demo/client.py";
    let text = "def read(variable):\n    result = subprocess.run(\n        command,\n        timeout=20,\n    )\n";
    let sample = Sample::good().file(client, text);
    let found = findings(&sample);
    let limit = rule(&found, "python/long-timeout")[0];
    assert!(limit.message.contains("program") && !limit.message.contains("request"), "{limit:?}");
    let both =
        Sample::good().file(client, &format!("{text}\n\ndef f():\n    get(url, timeout=30)\n"));
    let found = findings(&both);
    assert!(rule(&found, "python/long-timeout")[0].message.contains("request may wait 30"));
}
