"""The Agent Skill of an update: believed when its files are right, and not before."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from acme_tool._runtime.testkit.releases import NEWER
from acme_tool.about import TOOL, VERSION

from .conftest import Install
from .installed import Installed
from .sandbox import wait_until

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)


def partial(tool: Installed, code: str, cause: str) -> None:
    """Want a new program without its Skill, and an answer that says so."""
    result = tool.run("update")
    details = result.fails(code)
    expected = {
        "stage": "skill_sync",
        "binary_replaced": True,
        "current_version": NEWER,
        "target_version": NEWER,
        "skill_sync_status": "failed",
        "cause": cause,
    }
    assert {name: details[name] for name in expected} == expected
    command = details["skill_sync_command"]
    # Verified: a command of the installer would not be.
    assert command == f"{TOOL} update --target-version {NEWER}"
    assert "skills add" not in result.text
    for part in (NEWER, command, f"changelog --since {VERSION}"):
        assert part in result.error["message"]
    assert tool.path.read_bytes() == tool.releases.program
    tool.clean()


@pytest.mark.parametrize("name", ["npx", "node", "git"])
def test_without_the_installer_an_update_is_no_failure(
    install: Install, name: str
) -> None:
    tool = install()
    tool.only_shims(without=name)
    data = tool.run("update").ok()
    assert data["skill_sync_status"] == "not_installed"
    assert data["skill"]["cause"] == f"{name}_missing"


@pytest.mark.parametrize("name", ["npx", "node"])
def test_an_installed_skill_needs_no_installer(install: Install, name: str) -> None:
    tool = install()
    tool.only_shims(without=name)
    for agent in (".agents", ".claude"):
        place = tool.home / agent / "skills" / TOOL
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text("old\n")
    data = tool.run("update").ok()
    assert data["skill_sync_status"] == "synced"
    assert {copy["state"] for copy in data["skill"]["copies"]} == {"current"}
    assert len(set(data["skill"]["backups"])) == 1


def test_a_network_that_is_not_there_is_a_partial_result(install: Install) -> None:
    tool = install()
    tool.shim("npx", "echo npm error ECONNREFUSED >&2; exit 1")
    partial(tool, "E_SKILL_SYNC", "network")


@pytest.mark.parametrize("script", ["exit 0", "exit 1"])
def test_an_installer_that_writes_nothing_leaves_the_work_to_the_tool(
    install: Install, script: str
) -> None:
    tool = install()
    tool.shim("npx", script)
    assert tool.run("update").ok()["skill_sync_status"] == "synced"


@pytest.mark.parametrize(
    "change",
    [
        'echo evil > "$to/SKILL.md"',
        'echo evil > "$to/extra.md"',
        'mkdir -p "$to/deep/er" && echo evil > "$to/deep/er/x.md"',
        'rm -r "$to" && mkdir "$to"',
        'chmod 755 "$to/SKILL.md"',
        'mkdir "$to/.git" && echo x > "$to/.git/HEAD"',
        (
            'rm -r "$to"; mkdir "$HOME/away"; echo evil > "$HOME/away/SKILL.md"; '
            'ln -s "$HOME/away" "$to"'
        ),
        (
            'mkdir -p "$HOME/.claude/skills"; cp -R "$to" "$HOME/.claude/skills"; '
            'echo evil > "$HOME/.claude/skills/${to##*/}/SKILL.md"'
        ),
        (
            'mkdir -p "$HOME/.x/skills"; cp -R "$to" "$HOME/.x/skills"; '
            'echo evil > "$HOME/.x/skills/${to##*/}/SKILL.md"'
        ),
    ],
)
def test_foreign_files_of_an_installer_do_not_stay(
    install: Install, change: str
) -> None:
    tool = install()
    tool.shim(
        "npx", f"{tool.copy_skill()}\nto={shlex.quote(str(tool.skill))}\n{change}"
    )
    result = tool.run("update")
    details = result.fails("E_INTEGRITY")
    assert (details["stage"], details["cause"]) == ("skill_sync", "verify_mismatch")
    assert details["skill"]["live"] == "verified"
    assert "skills add" not in result.text
    for copy in details["skill"]["copies"]:
        assert copy["state"] == "current"
        assert "evil" not in (Path(copy["path"]) / "SKILL.md").read_text()
    for repair in details["skill"]["repairs"]:
        assert os.path.lexists(repair["quarantine"])


def test_an_own_copy_where_no_installer_writes_stays(install: Install) -> None:
    tool = install()
    own = tool.home / ".cursor" / "skills" / TOOL / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine\n")
    details = tool.run("update").fails("E_CONFIG")
    assert details["cause"] == "unmanaged_copy"
    assert own.read_text() == "mine\n"


def test_what_an_unfinished_sync_left_is_repaired(install: Install) -> None:
    tool = install(VERSION)
    tool.skill.mkdir(parents=True)
    (tool.skill / "SKILL.md").write_text("evil\n")
    journal = tool.home / f".{TOOL}" / "skill-sync.json"
    journal.parent.mkdir(exist_ok=True)
    journal.write_text("{}")
    details = tool.run("update").fails("E_INTEGRITY")
    assert details["skill"]["live"] == "verified"
    assert not journal.exists()
    assert tool.run("update").ok()["skill_sync_status"] == "current"


def test_an_installer_that_fails_after_its_work_is_no_failure(
    install: Install,
) -> None:
    tool = install()
    tool.shim("npx", f"{tool.copy_skill()}\nexit 1")
    data = tool.run("update").ok()
    assert data["skill_sync_status"] == "synced"
    assert data["skill"]["installer_exit"] == 1


def test_an_installer_that_hangs_is_ended_with_everything_it_started(
    install: Install,
) -> None:
    tool = install()
    tool.env["TEST_SKILL_PATIENCE"] = "1.5"
    written = tool.home / "child"
    script = f"sleep 300 &\necho $! > {shlex.quote(str(written))}\nwait"
    tool.shim("npx", f"trap '' TERM\n{script}")
    partial(tool, "E_TIMEOUT", "timed_out")
    child = int(written.read_text())

    def is_gone() -> bool:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(is_gone)


def test_a_copy_that_the_installer_leaves_out_is_named_to_it(install: Install) -> None:
    tool = install()
    other = tool.home / ".config" / "goose" / "skills" / TOOL
    other.mkdir(parents=True)
    (other / "SKILL.md").write_text("old\n")
    here, there = shlex.quote(str(tool.skill)), shlex.quote(str(other))
    copies = f"rm -rf {there} && cp -R {here} {there}"
    script = f'{tool.copy_skill()}\ncase "$*" in *goose*) {copies};; esac'
    tool.shim("npx", script)
    assert tool.run("update").ok()["skill_sync_status"] == "synced"
    first, second = tool.calls("npx")
    assert "goose" not in first
    assert second.endswith("-a universal goose")


def test_the_work_tree_of_a_developer_is_not_touched(install: Install) -> None:
    tool = install()
    tree = tool.home / "src" / TOOL
    (tree / ".git").mkdir(parents=True)
    (tree / "skills" / TOOL).mkdir(parents=True)
    (tree / "skills" / TOOL / "SKILL.md").write_text("in work\n")
    tool.skill.parent.mkdir(parents=True)
    tool.skill.symlink_to(tree / "skills" / TOOL)
    assert tool.run("update").ok()["skill_sync_status"] == "skipped"
    assert tool.calls("npx") == []


def test_the_installer_runs_without_signs_of_agents_and_far_from_projects(
    install: Install,
) -> None:
    tool = install()
    seen = tool.home / "seen"
    tool.env |= {
        "CLAUDECODE": "1",
        "GIT_DIR": "/nowhere",
        "XDG_CONFIG_HOME": "relative",
    }
    shown = f"{{ env; echo cwd=$(pwd); cat package.json; }} > {shlex.quote(str(seen))}"
    tool.shim("npx", f"{shown}\n{tool.copy_skill()}")
    tool.run("update").ok()
    text = seen.read_text()
    for unwanted in ("CLAUDECODE", "GIT_DIR=", "XDG_CONFIG", f"cwd={tool.home}\n"):
        assert unwanted not in text
    for wanted in (
        "DO_NOT_TRACK=1",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_CONFIG_VALUE_0=false",
        '{"private":true}',
    ):
        assert wanted in text


@pytest.mark.parametrize(
    ("said", "pin"),
    [("v22.20.0", "1.7.4"), ("v24.1.0", "1.7.4"), ("v20.12.0", "1.5.16")],
)
def test_the_installer_is_one_that_node_can_run(
    install: Install, said: str, pin: str
) -> None:
    tool = install(VERSION)
    tool.skill.mkdir(parents=True)
    (tool.skill / "SKILL.md").write_text("old\n")
    tool.shim("node", f"echo {said}")
    tool.run("update").ok()
    assert tool.calls("npx")[0].startswith(f"--yes skills@{pin} add ")
