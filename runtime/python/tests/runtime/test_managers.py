"""Programs that belong to a manager are left to it, and seen afterwards."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from acme_tool import about
from acme_tool._runtime.testkit.releases import NEWER, SKILL
from acme_tool.about import (
    DISTRIBUTION,
    NPM_PACKAGE,
    TOOL,
    VERSION,
)

from .conftest import Install
from .installed import Installed, frozen
from .sandbox import ROOT

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)

PACKAGE = about.__name__.partition(".")[0]


def by_npm(tool: Installed) -> Installed:
    """Make an installation by npm, in a prefix of its own."""
    inner = f"node_modules/{NPM_PACKAGE}/node_modules/{NPM_PACKAGE}-linux-x64"
    path = tool.place(f"prefix/lib/{inner}/bin/{TOOL}")
    manifest = {"name": f"{NPM_PACKAGE}-linux-x64"}
    (path.parent.parent / "package.json").write_text(json.dumps(manifest))
    return tool


def installs(tool: Installed, content: bytes) -> str:
    """Return a script that does what a manager does."""
    made = tool.home / "made"
    tool.put(made, content)
    staged = shlex.quote(f"{tool.path}.tmp")
    path = shlex.quote(str(tool.path))
    return f"cp -p {shlex.quote(str(made))} {staged} && mv {staged} {path}"


def test_a_program_of_npm_is_left_to_npm(install: Install) -> None:
    tool = by_npm(install())
    tool.shim("npm", installs(tool, frozen(NEWER)))
    words = f"install --global --prefix {tool.home}/prefix {NPM_PACKAGE}@{NEWER}"
    check = tool.run("update", "--check").ok()
    assert (check["install_method"], check["command"]) == ("npm", f"npm {words}")
    plan = tool.run("update", "--dry-run").ok()["plan"]
    assert plan["manager_command"] == f"npm {words}"
    assert tool.calls("npm") == []
    data = tool.run("update").ok()
    expected = {
        "status": "updated",
        "install_method": "npm",
        "previous_version": VERSION,
        "current_version": NEWER,
        "update_available": False,
        "signature_status": "not_checked",
        "signature_verified": False,
        "skill_sync_status": "synced",
    }
    assert {name: data[name] for name in expected} == expected
    assert tool.calls("npm") == [words]
    assert not any(tool.releases.archive in path for path in tool.releases.fetched)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("echo npm error EACCES: permission denied >&2; exit 243", "E_FORBIDDEN"),
        ("echo npm error ENOTFOUND registry >&2; exit 1", "E_NETWORK"),
        ("exit 7", "E_IO"),
        ("exit 0", "E_CONFLICT"),
    ],
)
def test_a_manager_that_fails_is_named_with_its_command(
    install: Install, script: str, code: str
) -> None:
    tool = by_npm(install())
    tool.shim("npm", script)
    details = tool.run("update").fails(code)
    assert f"{NPM_PACKAGE}@{NEWER}" in details["command"]
    assert (details["stage"], details["binary_replaced"]) == ("replace", False)
    assert details["current_version"] == VERSION
    assert tool.path.read_bytes() == frozen()


@pytest.mark.parametrize("ending", ["exit 0", "exit 1"])
def test_a_manager_that_installs_something_else_is_seen(
    install: Install, ending: str
) -> None:
    tool = by_npm(install())
    tool.shim("npm", f"{installs(tool, frozen('90.0.0'))}\n{ending}")
    result = tool.run("update")
    details = result.error["details"]
    assert result.error["code"] in ("E_CONFLICT", "E_IO")
    assert (details["current_version"], details["binary_replaced"]) == ("90.0.0", True)


def test_a_manager_that_is_not_there_is_named(install: Install) -> None:
    tool = by_npm(install())
    tool.only_shims()
    details = tool.run("update").fails("E_CONFIG")
    assert "npm install" in details["command"]


def test_homebrew_installs_its_newest_alone(install: Install) -> None:
    tool = install()
    tool.place(f"Cellar/{TOOL}/1.0.0/bin/{TOOL}")
    tool.shim("brew", installs(tool, frozen(NEWER)))
    tool.run("update", "--target-version", NEWER).fails("E_CONFIG")
    assert tool.calls("brew") == []
    data = tool.run("update").ok()
    assert (data["install_method"], data["current_version"]) == ("homebrew", NEWER)
    assert tool.calls("brew") == [f"upgrade {TOOL}"]


@pytest.mark.parametrize(
    "path", [f"node_modules/bin/{TOOL}", f"src/node_modules/other/bin/{TOOL}"]
)
def test_a_directory_that_only_looks_managed_is_not(
    install: Install, path: str
) -> None:
    tool = install()
    tool.place(path)
    assert tool.run("update", "--check").ok()["install_method"] == "standalone"


@pytest.mark.parametrize(
    "path",
    [
        f"nix/store/abc-tool/bin/{TOOL}",
        f"project/node_modules/{NPM_PACKAGE}-linux-x64/bin/{TOOL}",
    ],
)
def test_an_installation_that_nobody_can_drive_is_not_touched(
    install: Install, path: str
) -> None:
    tool = install()
    place = tool.place(path)
    if "node_modules" in path:
        manifest = json.dumps({"name": f"{NPM_PACKAGE}-linux-x64"})
        (place.parent.parent / "package.json").write_text(manifest)
    details = tool.run("update").fails("E_CONFIG")
    assert details["binary_replaced"] is False
    assert tool.path.read_bytes() == frozen()


class Packaged:
    """The package in an environment of its own, as an installer leaves it."""

    def __init__(self, tool: Installed, installer: str) -> None:
        self.tool = tool
        self.prefix = tool.home / "environment"
        venv.create(self.prefix, with_pip=False, symlinks=True)
        self.site = Path(
            sysconfig.get_path("purelib", "venv", {"base": str(self.prefix)})
            if "venv" in sysconfig.get_scheme_names()
            else sysconfig.get_path("purelib", vars={"base": str(self.prefix)})
        )
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / PACKAGE, self.site / PACKAGE, ignore=ignored)
        data = self.site / PACKAGE / "data"
        shutil.copytree(SKILL, data / "skills" / TOOL)
        shutil.copy(ROOT / "CHANGELOG.md", data)
        # The dependencies of the package come from the environment of the tests.
        (self.site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        # Installers write a dash of the name as an underscore here.
        name = DISTRIBUTION.replace("-", "_")
        self.information = self.site / f"{name}-{VERSION}.dist-info"
        self.information.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {VERSION}\n"
        (self.information / "METADATA").write_text(metadata)
        (self.information / "INSTALLER").write_text(f"{installer}\n")
        (self.information / "RECORD").write_text(
            f"{PACKAGE}/_runtime/update/installation.py,,\n"
        )
        self.python = self.prefix / "bin" / "python"
        tool.program = [str(self.python), "-m", PACKAGE]
        del tool.env["PYTHONPATH"]

    @property
    def script(self) -> str:
        """The steps of a manager that installs the new version, in Python."""
        path = self.site / PACKAGE / "about.py"
        return (
            f"from pathlib import Path; p = Path({str(path)!r}); "
            f"p.write_text(p.read_text().replace({VERSION!r}, {NEWER!r}))"
        )

    def shim(self, name: str) -> None:
        words = (str(self.python), "-c", self.script)
        self.tool.shim(name, shlex.join(words))


@pytest.fixture
def packaged(install: Install) -> Packaged:
    return Packaged(install(), "pip")


def test_a_package_knows_its_changelog_and_its_skill(packaged: Packaged) -> None:
    tool = packaged.tool
    assert tool.run("changelog").ok()["entries"]
    assert tool.run("context").ok()["skill"]["min_version"] == VERSION


def test_a_package_of_pip_is_left_to_pip(packaged: Packaged) -> None:
    (packaged.site / "pip.py").write_text(packaged.script)
    data = packaged.tool.run("update").ok()
    assert (data["install_method"], data["current_version"]) == ("pip", NEWER)
    assert data["signature_status"] == "not_checked"
    assert data["skill_sync_status"] == "synced"
    check = packaged.tool.run("update", "--check").ok()
    assert check["current_version"] == NEWER
    assert check["command"].endswith(f"{DISTRIBUTION}=={NEWER}")


@pytest.mark.parametrize(
    ("mark", "name", "words"),
    [
        ("pipx_metadata.json", "pipx", f"install --force {DISTRIBUTION}=={NEWER}"),
        ("uv-receipt.toml", "uv", f"tool install --force {DISTRIBUTION}=={NEWER}"),
    ],
)
def test_a_package_of_pipx_or_uv_is_left_to_it(
    packaged: Packaged, mark: str, name: str, words: str
) -> None:
    (packaged.prefix / mark).write_text("{}")
    packaged.shim(name)
    data = packaged.tool.run("update").ok()
    assert (data["install_method"], data["current_version"]) == (name, NEWER)
    assert packaged.tool.calls(name) == [words]


def test_a_package_that_uv_put_into_an_environment_is_left_to_uv(
    packaged: Packaged,
) -> None:
    (packaged.information / "INSTALLER").write_text("uv")
    check = packaged.tool.run("update", "--check").ok()
    assert check["install_method"] == "uv"
    assert check["command"].startswith("uv pip install --python ")


@pytest.mark.parametrize("origin", ["conda", "direct_url.json", "no information"])
def test_a_package_of_somebody_else_is_not_touched(
    packaged: Packaged, origin: str
) -> None:
    if origin == "conda":
        (packaged.information / "INSTALLER").write_text("conda\n")
    elif origin == "direct_url.json":
        (packaged.information / origin).write_text("{}")
    else:
        shutil.rmtree(packaged.information)
    details = packaged.tool.run("update").fails("E_CONFIG")
    assert (details["stage"], details["binary_replaced"]) == ("replace", False)
    assert packaged.tool.run("--version").text == f"{TOOL} {VERSION}\n"
