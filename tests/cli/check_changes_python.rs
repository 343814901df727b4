//! Values of generated Python modules are read-only, and code that gives a name of such a module another value is found.

use std::process::Command;

use super::check_changes::{found, project, put};
use super::sandbox::Sandbox;
use super::toolchain::program;

const HARNESS: &str = "agent-harness/aos_acme";
const PYTHON: &str = "from aos_acme import contract_gen as c\n\
    import aos_acme, aos_acme.contract_gen, contextlib, importlib, operator, sys, types\n";
/// Prints the decision of the gate after an attack: the mode, `changed`, or `refused` if the attack itself fails.
const SHOW: &str = "
import aos_acme
try:
    import aos_acme.ATTACK
except (TypeError, AttributeError):
    print('refused')
    raise SystemExit
try:
    from aos_acme import contract_gen as c
    from aos_acme._runtime import config
    whole = (c.COMMANDS['item.delete']['required_mode'], config.MODES, c.MODES)
    print('same' if whole == ('admin',) + (('readonly', 'write', 'full', 'admin'),) * 2 else 'changed')
except Exception:
    print('changed')
";

/// Code that gives a name of the module another value: Python allows that.
const REBOUND: &[&str] = &[
    "aos_acme.contract_gen.COMMANDS = {}",
    "import aos_acme.contract_gen as d\nd.COMMANDS = {}",
    "importlib.import_module('aos_acme.contract_gen').COMMANDS = {}",
    "importlib.import_module('.contract_gen', 'aos_acme').COMMANDS = {}",
    "d = importlib.import_module('aos_acme.contract_gen')\nd.COMMANDS = {}",
    "__import__('aos_acme.contract_gen').contract_gen.COMMANDS = {}",
    "__import__('aos_acme.contract_gen', fromlist=['x']).COMMANDS = {}",
    "sys.modules['aos_acme.contract_gen'].COMMANDS = {}",
    "sys.modules.get('aos_acme.contract_gen').COMMANDS = {}",
    "getattr(aos_acme, 'contract_gen').COMMANDS = {}",
    "vars(c)['COMMANDS'] = {}",
    "vars(c).update(COMMANDS={})",
    "c.__dict__['COMMANDS'] = {}",
    "d = c.__dict__\nd['COMMANDS'] = {}",
    "d = c\nd.COMMANDS = {}",
    "operator.setitem(vars(c), 'COMMANDS', {})",
    "dict.update(c.__dict__, COMMANDS={})",
    "types.ModuleType.__setattr__(c, 'COMMANDS', {})",
    "exec('COMMANDS = {}', vars(c))",
    "(own, c.COMMANDS) = 1, {}",
    "own, c.COMMANDS = 1, {}",
    "[*c.COMMANDS] = ()",
    "for c.COMMANDS in [{}]:\n    pass",
    "with contextlib.nullcontext({}) as c.COMMANDS:\n    pass",
    "own = c.COMMANDS = {}",
    "del c.COMMANDS",
    "aos_acme.contract_gen = types.SimpleNamespace()",
    "setattr(aos_acme, 'contract_gen', types.SimpleNamespace())",
    "from ._runtime import config\nconfig.MODES = ()",
    "d = importlib.import_module('aos_acme.contract' + '_gen')\nd.__dict__.update(COMMANDS={})",
    "setattr(importlib.import_module('.'.join(['aos_acme', 'contract_gen'])), 'COMMANDS', {})",
];

/// Code that changes a value itself: the values are read-only.
const INSIDE: [&str; 12] = [
    "c.COMMANDS['item.delete']['required_mode'] = 'readonly'",
    "from .contract_gen import COMMANDS as X\n(X['item.delete'])['required_mode'] = 'readonly'",
    "getattr(c, 'COMMANDS').clear()",
    "getattr(c, 'COMMANDS')['item.delete'] = {}",
    "dict.update(c.COMMANDS, {'item.delete': {}})",
    "operator.setitem(c.COMMANDS, 'item.delete', {})",
    "for spec in c.COMMANDS.values():\n    spec['required_mode'] = 'readonly'",
    "from ._runtime.config import MODES\nMODES[0] = 'admin'",
    "list.append(c.MODES, 'x')",
    "change = dict.update\nchange(c.COMMANDS['item.delete'], required_mode='readonly')",
    "c.MANIFEST['commands'][0]['required_mode'] = 'readonly'",
    "c.FIELDS['item_id'].update(choices=())",
];

/// Code that changes nothing of the module.
const HARMLESS: &str = r#"
import aos_acme.contract_gen
from . import contract_gen
from .contract_gen import COMMANDS, MODES

own = dict(COMMANDS)
own["x"] = 1
own.clear()
copy = {**contract_gen.COMMANDS, "x": 1}
copy["x"] = 2
names = list(vars(contract_gen))
names.append("x")
first, *rest = MODES
index = {mode: 0 for mode in MODES}
index[MODES[0]] = 1
index[contract_gen.DEFAULT_MODE], other = 1, 2
text = str(getattr(contract_gen, "MODES"))
if contract_gen.MODES == () or aos_acme.contract_gen.MODES == (): first = 1
# contract_gen.MODES = ()
TEXT = "contract_gen.MODES = (); setattr(contract_gen, 1)"


def local(contract_gen=None, COMMANDS=None):
    """contract_gen.MODES = ()"""
    MODES = [1]
    MODES.append(2)
    MODES = ()
    COMMANDS["x"] = 1
    contract_gen.MODES = ()


class Own:
    MODES = ()

    def __init__(self, contract_gen):
        self.contract_gen = contract_gen
        self.MODES = MODES
"#;

#[test]
fn python_values_are_read_only_and_new_values_for_names_are_found() {
    let test = "python_values_are_read_only_and_new_values_for_names_are_found";
    let Some(python) = program(test, "python3") else { return };
    let (sandbox, project) = project("connector-python");
    let show = |name: &str| {
        let mut command = Command::new(&python);
        let code = SHOW.replace("ATTACK", name);
        command.args(["-B", "-c", &code]).current_dir(project.join("agent-harness"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let attack = |name: &str, code: &str| {
        put(&project, &format!("{HARNESS}/{name}.py"), &format!("{PYTHON}{code}\n"));
    };
    for (number, code) in INSIDE.iter().enumerate() {
        attack(&format!("inside{number}"), code);
    }
    attack("harmless", HARMLESS);
    for tag in ["v1.0.0", "v1.1.0"] {
        sandbox.aos_in(&project, &["sync-spec", "--to", tag]).data();
        assert_eq!(show("harmless"), "same", "{tag}");
        for (number, code) in INSIDE.iter().enumerate() {
            assert_eq!(show(&format!("inside{number}")), "refused", "{tag} {code}");
        }
    }
    for number in 0..INSIDE.len() {
        std::fs::remove_file(project.join(format!("{HARNESS}/inside{number}.py"))).unwrap();
    }
    sandbox.aos_in(&project, &["check"]).data();
    for (number, code) in REBOUND.iter().enumerate() {
        attack(&format!("rebound{number}"), code);
    }
    let found = found(&sandbox, &project);
    for (number, code) in REBOUND.iter().enumerate() {
        assert_eq!(show(&format!("rebound{number}")), "changed", "{code}");
        let path = format!(" {HARNESS}/rebound{number}.py");
        assert!(found.iter().any(|found| found.ends_with(&path)), "{code}: {found:#?}");
    }
    assert!(found.iter().all(|found| found.contains("/rebound")), "{found:#?}");
    sandbox.aos_in(&project, &["gen", "--check"]).error("E_DRIFT", 6);
}

#[test]
fn values_of_a_python_tool_are_read_only_and_still_equal_lists_and_dicts() {
    let test = "values_of_a_python_tool_are_read_only_and_still_equal_lists_and_dicts";
    let Some(python) = program(test, "python3") else { return };
    let sandbox = Sandbox::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        let root = format!("tool-{tag}");
        sandbox.write(
            &format!("{root}/aos.toml"),
            "family = \"agent-cli\"\n\n[outputs]\npython = [\"acme/contract_gen.py\"]\n",
        );
        let project = sandbox.work().join(&root);
        sandbox.aos_in(&project, &["sync-spec", "--to", tag]).data();
        let code = r#"
import sys
sys.path.insert(0, "acme")
import contract_gen as c, json
assert ["ok", "schema_version", "data", "meta"] == c.SUCCESS_ENVELOPE_KEYS
assert c.META_REQUIRED_KEYS == ["duration_ms"] == list(c.META_REQUIRED_KEYS)
assert c.META_REQUIRED_KEYS != ["x"] and ["x"] != c.META_REQUIRED_KEYS
assert c.META_REQUIRED_KEYS + ["x"] == ["duration_ms", "x"]
assert ["x"] + c.META_REQUIRED_KEYS == ["x", "duration_ms"]
assert json.loads(json.dumps(c.META_REQUIRED_KEYS)) == ["duration_ms"]
assert c.CODES["E_IO"] == {"exit": 1, "retryable": False, "core": True}
assert {**c.CODES} == c.CODES and c.exit_for("E_USAGE") == 2
for change in (
    lambda: c.CODES.update({}), lambda: dict.update(c.CODES, {}), lambda: dict.clear(c.CODES["E_IO"]),
    lambda: c.EXIT_CODES.pop(0), lambda: list.append(c.META_REQUIRED_KEYS, 1), lambda: c.META_REQUIRED_KEYS.append(1),
    lambda: setattr(c.META_REQUIRED_KEYS, "x", 1), lambda: c.HTTP_STATUS_CODES.__setitem__("404", "x"),
):
    try:
        change()
    except (TypeError, AttributeError):
        continue
    raise SystemExit("a value was changed")
"#;
        let output =
            Command::new(&python).args(["-I", "-B", "-c", code]).current_dir(&project).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{tag}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
