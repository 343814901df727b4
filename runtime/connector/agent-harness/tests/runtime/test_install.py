"""A wheel of the connector, installed away from its sources, next to another one."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest
from contract_cases import PACKAGE
from subject import HARNESS, gen


def newer(package, *wanted):
    """Whether a package is installed in this version or a newer one."""
    try:
        found = metadata.version(package).split(".")[:2]
    except metadata.PackageNotFoundError:
        return False
    return tuple(int(part) for part in found) >= wanted


pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX paths"),
    pytest.mark.skipif(
        not (newer("pip", 22, 3) and newer("setuptools", 70, 1)),
        reason="a wheel needs pip 22.3 and setuptools 70.1 or newer, see "
        '`pip install -e "agent-harness[dev]"`',
    ),
]


def sources(target):
    """A copy of the harness, so that a build leaves nothing behind."""
    unwanted = shutil.ignore_patterns(
        ".*", "venv", "*.egg-info", "build", "__pycache__"
    )
    return Path(shutil.copytree(HARNESS, target, ignore=unwanted))


def twin(target):
    """The same connector under another name."""
    source = sources(target)
    other_tool, other_package = gen.TOOL + "-twin", PACKAGE + "_twin"
    (source / PACKAGE).rename(source / other_package)
    for path in [source / "pyproject.toml", *source.rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        text = text.replace(gen.TOOL, other_tool).replace(PACKAGE, other_package)
        path.write_text(text, encoding="utf-8")
    return source


def pip(*words):
    argv = [
        sys.executable,
        "-m",
        "pip",
        "--isolated",
        "--disable-pip-version-check",
        "-q",
        *words,
    ]
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A fresh environment with both connectors and click, made without a network."""
    root = tmp_path_factory.mktemp("install")
    wheels = root / "wheels"
    pip(
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "-w",
        str(wheels),
        str(sources(root / "one")),
        str(twin(root / "two")),
    )
    place = root / "venv"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    built = [str(path) for path in sorted(wheels.glob("*.whl"))]
    assert len(built) == 2
    pip("--python", str(python), "install", "--no-deps", "--no-index", *built)
    click = Path(importlib.util.find_spec("click").origin).parent
    (site,) = place.glob("lib/python*/site-packages")
    shutil.copytree(click, site / "click")
    shutil.rmtree(root / "one")
    shutil.rmtree(root / "two")
    return place / "bin"


@pytest.mark.parametrize("tool", [gen.TOOL, gen.TOOL + "-twin"])
def test_an_installed_connector_works_without_its_sources(environment, tmp_path, tool):
    for words in (["capabilities"], ["health"], ["config", "show"], ["--help"]):
        done = subprocess.run(
            [str(environment / tool), "--json", *words],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            cwd=tmp_path,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count("\n") == 1
        assert json.loads(done.stdout)["tool"] == tool


@pytest.mark.parametrize("tool", [gen.TOOL, gen.TOOL + "-twin"])
def test_every_installed_command_is_there(environment, tmp_path, tool):
    package = tool.replace("-", "_")
    code = (
        f"from {package}._runtime import registry\n"
        f"from {package}.contract_gen import COMMANDS\n"
        "for name in COMMANDS: registry.handler(name)\n"
        f"assert all({package!r} in f.__module__ for f in registry.HANDLERS.values())"
    )
    done = subprocess.run(
        [str(environment / "python"), "-c", code],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
