"""The repository around the program: documents, versions, and what a wheel holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from acme_tool import about

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = about.__name__.partition(".")[0]
LIMIT = 120.0
VERSIONS = f"{PACKAGE}._runtime.release.versions"

_NAMED = re.compile(r"`(?:(test_\w+\.py)|(?:\w+\.py )?(test_\w+))`")
_DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def python(*words: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a directory, which is where it finds its modules."""
    environment = {**os.environ, "PYTHONPATH": str(directory)}
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        check=False,
        cwd=directory,
        encoding="utf-8",
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=LIMIT,
    )


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_every_proof_in_the_table_of_conformance_exists() -> None:
    files = {path.name: path for path in (ROOT / "tests" / "runtime").glob("*.py")}
    tests = {
        name
        for path in files.values()
        for name in _DEFINED.findall(path.read_text(encoding="utf-8"))
    }
    named = _NAMED.findall(text(f"{PACKAGE}/_runtime/CONFORMANCE.md"))
    assert len(named) > 60
    assert {file for file, _ in named if file} <= files.keys()
    assert {name for _, name in named if name} <= tests


def test_every_item_of_the_checklist_has_a_row() -> None:
    rows = re.findall(
        r"^\| ([\d, ]+) \|", text(f"{PACKAGE}/_runtime/CONFORMANCE.md"), re.MULTILINE
    )
    items = {int(item) for row in rows for item in row.split(",")}
    # The patterns that a tool may leave out are 69 to 71; 75 to 77 are about a fleet.
    assert set(range(1, 69)) | {72, 73, 74, 78} <= items


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what names the version."""
    names = ["CHANGELOG.md", "package.json", f"{VERSIONS.replace('.', '/')}.py"]
    names += [f"{PACKAGE}/__init__.py", f"{PACKAGE}/_runtime/__init__.py"]
    names += [f"{PACKAGE}/_runtime/release/__init__.py"]
    names += [f"{PACKAGE}/about.py", f"skills/{about.TOOL}/SKILL.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    found = path.read_text(encoding="utf-8")
    assert old in found
    path.write_text(found.replace(old, new), encoding="utf-8", newline="\n")


def test_one_version_stands_everywhere() -> None:
    done = python("-m", VERSIONS, directory=ROOT)
    assert (done.stdout, done.stderr) == (f"{about.VERSION}\n", "")


def test_a_version_that_was_left_behind_is_named_and_can_be_set(copy: Path) -> None:
    replace(copy / PACKAGE / "about.py", f'"{about.VERSION}"', '"987.6.5"')
    replace(copy / "CHANGELOG.md", f"## [{about.VERSION}]", "## [987.6.5]")
    done = python("-m", VERSIONS, directory=copy)
    assert done.returncode == 1
    assert "package.json is not at 987.6.5" in done.stderr
    assert python("-m", VERSIONS, "--write", directory=copy).returncode == 0
    assert python("-m", VERSIONS, directory=copy).stdout == "987.6.5\n"
    pins = json.loads((copy / "package.json").read_text())["optionalDependencies"]
    assert set(pins.values()) == {"987.6.5"}
    skill = (copy / "skills" / about.TOOL / "SKILL.md").read_text(encoding="utf-8")
    assert skill.count("987.6.5") == 2


def test_a_release_needs_its_tag_and_a_date(copy: Path) -> None:
    words = ["-m", VERSIONS, "--notes", "notes.md", "--tag"]
    changelog = copy / "CHANGELOG.md"
    heading = re.compile(rf"## \[{re.escape(about.VERSION)}\].*")
    for line, tag, why in (
        (f"## [{about.VERSION}] - 2030-01-31", "v0.0.1", "the tag is"),
        (f"## [{about.VERSION}]", f"v{about.VERSION}", "has no date"),
        (f"## [{about.VERSION}] - 2030-01-31", f"v{about.VERSION}", ""),
    ):
        found = changelog.read_text(encoding="utf-8")
        changelog.write_text(heading.sub(line, found, count=1), encoding="utf-8")
        done = python(*words, tag, directory=copy)
        assert done.returncode == (1 if why else 0)
        assert why in done.stderr
    assert "### Added" in (copy / "notes.md").read_text(encoding="utf-8")


def test_a_wheel_holds_the_program_with_its_texts_and_no_mock(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    words = ("-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    assert python(*words, directory=ROOT).returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(installed)
    assert not (installed / PACKAGE / "_runtime" / "testkit").exists()
    assert not (installed / PACKAGE / "_runtime" / "release").exists()
    tops = {path.name for path in installed.iterdir()}
    assert tops == {PACKAGE, next(name for name in tops if name.endswith(".dist-info"))}
    done = python("-m", PACKAGE, "changelog", directory=installed)
    newest = json.loads(done.stdout)["data"]["entries"][0]
    assert newest["version"] == about.VERSION
    done = python("-m", PACKAGE, "--version", directory=installed)
    assert done.stdout == f"{about.TOOL} {about.VERSION}\n"
