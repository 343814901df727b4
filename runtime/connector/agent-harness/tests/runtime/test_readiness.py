"""A connector that cannot run its commands never calls itself ready."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from contract_cases import PACKAGE
from subject import HARNESS, SECRETS, gen, module

readiness = module("readiness")
# Runs the package with nothing but the standard library and the given places.
START = f"""import sys
sys.path[:0] = sys.argv.pop(1).split("|")
from {PACKAGE}.__main__ import main
sys.exit(main())
"""


def start(places, *words):
    env = {**os.environ, gen.MODE_ENV: gen.MODES[-1]}
    paths = "|".join(map(str, places))
    return subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", START, paths, *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=env,
    )


def answer(done):
    assert done.stdout.count("\n") == 1, done.stdout + done.stderr
    return json.loads(done.stdout)


def with_click(place, text="", version=None):
    """A package click with this text, and metadata with this version."""
    (place / "click").mkdir()
    (place / "click" / "__init__.py").write_text(text)
    if version:
        data = place / f"click-{version}.dist-info"
        data.mkdir()
        told = f"Metadata-Version: 2.1\nName: click\nVersion: {version}\n"
        (data / "METADATA").write_text(told)
    return place


def emptied_click(place):
    """A directory that a removal left behind."""
    (place / "click" / "__pycache__").mkdir(parents=True)
    return place


def real_click(place):
    import click

    shutil.copytree(Path(click.__file__).parent, place / "click")
    return place


def copied(place):
    """The package alone, as a half-finished copy leaves it."""
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HARNESS / PACKAGE, place / PACKAGE, ignore=unwanted)
    return place


def without(*parts):
    def broken(place):
        (copied(real_click(place)) / PACKAGE).joinpath(*parts).unlink()
        return [place]

    return broken


HANDLERS = sorted(path.name for path in (HARNESS / PACKAGE / "commands").glob("[a-z]*"))
HANDLERS = [name for name in HANDLERS if name.endswith(".py")]
STATES = {
    "no click": lambda place: [HARNESS],
    "click too old": lambda place: [HARNESS, with_click(place, version="7.1.2")],
    "click too new": lambda place: [HARNESS, with_click(place, version="9.0")],
    "click broken": lambda place: [HARNESS, with_click(place, "import nowhere_at_all")],
    "click cut": lambda place: [HARNESS, with_click(place, "def Option(")],
    "click left behind": lambda place: [HARNESS, emptied_click(place)],
    "click of another kind": lambda place: [HARNESS, with_click(place)],
    **{
        f"no {name}": without("_runtime", f"{name}.py")
        for name in ("client", "cursors", "options", "text", "waits")
    },
    **{f"no {name}": without("commands", name) for name in HANDLERS[:2]},
}


@pytest.mark.parametrize("state", STATES)
def test_health_needs_setup_when_a_command_cannot_run(tmp_path, state):
    places = STATES[state](tmp_path)
    done = start(places, "--json", "health")
    assert done.returncode == 0, done.stdout + done.stderr
    envelope = answer(done)
    assert envelope["data"]["status"] == "needs_setup"
    assert envelope["runtime_ready"] is False
    assert envelope["status"] == "needs_setup"
    check = {check["name"]: check for check in envelope["data"]["checks"]}["runtime"]
    assert check["ok"] is False
    assert check["details"]["problems"]
    install = check["details"]["install"]
    assert " -m pip install " in install
    if places[0] == HARNESS:
        assert install.endswith(f" -e {shlex.quote(str(HARNESS))}")
    assert envelope["data"]["next_steps"] == [install]


def test_every_module_of_the_runtime_is_tried():
    files = (HARNESS / PACKAGE / "_runtime").glob("[a-z]*.py")
    assert sorted(readiness.MODULES) == sorted(path.stem for path in files)


@pytest.mark.parametrize("is_left_behind", [False, True])
def test_without_click_no_answer_says_ready(tmp_path, is_left_behind):
    places = [HARNESS, emptied_click(tmp_path)] if is_left_behind else [HARNESS]
    envelope = answer(start(places, "--json", "capabilities"))
    data = envelope["data"]
    assert data["runtime"]["ready"] is False
    assert "click" in data["runtime"]["problems"][0]
    assert "pip install" in data["runtime"]["install"]
    flags = [v for k, v in data["scope"].items() if k.endswith("_available")]
    assert True not in flags
    named = [name for name, spec in gen.COMMANDS.items() if spec["required"]]
    for name in named[:1]:
        option = "--" + gen.COMMANDS[name]["required"][0].replace("_", "-")
        done = start(places, "--json", *name.split("."), option, "7")
        assert done.returncode == 10
        if not is_left_behind:
            hint = answer(done)["error"]["details"]["hint"]
            assert data["runtime"]["install"] in hint


def test_where_commands_run_health_finds_nothing_missing(tmp_path):
    places = [HARNESS, real_click(tmp_path)]
    data = answer(start(places, "--json", "health"))["data"]
    check = {check["name"]: check for check in data["checks"]}["runtime"]
    assert check == {"name": "runtime", "ok": True, "details": {"problems": []}}
    assert "runtime" not in answer(start(places, "--json", "capabilities"))["data"]


def test_a_python_that_is_too_old_needs_setup(run, keys, monkeypatch):
    monkeypatch.setattr(readiness, "PYTHON", (9, 9))
    data = run("--json", "health").data
    assert data["status"] == "needs_setup"
    assert "Python 9.9 or newer" in str(data["checks"])
    assert data["next_steps"][0].startswith("python9.9 -m venv")
    assert run("--json", "capabilities").data["runtime"]["ready"] is False


def test_a_healthy_backend_does_not_hide_a_broken_runtime(run, backend, monkeypatch):
    monkeypatch.setattr(readiness, "problems", lambda: ["broken"])
    assert run("--json", "health").data["status"] == "needs_setup"
    assert backend.requests == []
    assert set(SECRETS) == set(gen.SERVICE_KEYS)


def test_the_project_file_asks_for_what_the_runtime_checks():
    text = (HARNESS / "pyproject.toml").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^dependencies = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    assert sorted(re.findall(r'"([^"]+)"', listed)) == sorted(
        readiness.REQUIRES.values()
    )
    (python,) = re.findall(r'^requires-python = ">=([\d.]+)"', text, re.MULTILINE)
    assert tuple(map(int, python.split("."))) == readiness.PYTHON


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("8.1", ">=8.1,<9", True),
        ("8.1.7", ">=8.1,<9", True),
        ("8.0.4", ">=8.1,<9", False),
        ("9.0", ">=8.1,<9", False),
        ("9", ">=8.1, <9", False),
        ("10.0", ">=8.1", True),
        ("2.0rc1", "==2.0", True),
        ("2.1", "!=2.1.0", False),
        ("2.5", "~=2.2", True),
        ("3.0", "~=2.2", False),
        ("1", "", True),
    ],
)
def test_versions_are_compared_as_numbers(version, wanted, expected):
    assert readiness._satisfies(version, wanted) is expected


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_broken_environment_beside_the_package_is_passed_over(tmp_path):
    """The interpreter of `.venv` is gone: the shim takes another, and judges that one."""
    shutil.copytree(HARNESS / "shims", tmp_path / "shims")
    copied(tmp_path)
    for name in (".venv", "venv"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "python").symlink_to(tmp_path / "gone")
    shim = str(tmp_path / "shims" / gen.TOOL)
    done = subprocess.run(
        ["sh", shim, "--json", "health"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    data = answer(done)["data"]
    assert done.returncode == 0
    assert data["status"] == "needs_setup"
    assert [check["name"] for check in data["checks"]] == ["required_env", "runtime"]
