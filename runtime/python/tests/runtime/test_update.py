"""Updates that succeed, and those that have nothing to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acme_tool._runtime.testkit.releases import API, NEWER, Handler
from acme_tool._runtime.update import host
from acme_tool.about import REPOSITORY, TOOL, VERSION

from .conftest import Install
from .installed import Installed, frozen
from .sandbox import wait_until

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)


def published(tool: Installed) -> Installed:
    """Let the release hold a whole program, so that the update can be followed."""
    tool.releases.entries[0].content = frozen(tool.releases.version)
    tool.releases.publish()
    return tool


def test_an_update_replaces_the_program_and_its_skill(install: Install) -> None:
    tool = published(install())
    link = tool.home / "link"
    link.symlink_to(tool.path)
    tool.path.chmod(0o750)
    tool.program = [str(link)]
    data = tool.run("update").ok()
    expected = {
        "status": "updated",
        "previous_version": VERSION,
        "current_version": NEWER,
        "target_version": NEWER,
        "update_available": False,
        "install_method": "standalone",
        "signature_verified": True,
        "signature_status": "verified",
        "checksum_verified": True,
        "binary_replaced": True,
        "skill_sync_status": "synced",
        "signer_identity": tool.releases.signing.identity,
        "next_step": f"{TOOL} changelog --since {VERSION}",
    }
    assert {name: data[name] for name in expected} == expected
    assert tool.path.read_bytes() == frozen(NEWER)
    assert tool.path.stat().st_mode & 0o777 == 0o750
    assert link.readlink() == tool.path
    tool.clean()
    assert tool.run("--version").text == f"{TOOL} {NEWER}\n"
    (call,) = tool.calls("npx")
    assert f"/{REPOSITORY}/tree/v{NEWER} -y -g -s {TOOL}" in call
    # The new version has nothing to do.
    assert tool.run("update").ok()["status"] == "current"


def test_a_program_may_lie_on_another_file_system_than_temporary_files(
    install: Install,
) -> None:
    other = Path("/dev/shm")
    tool = install()
    if not other.is_dir() or other.stat().st_dev == tool.path.stat().st_dev:
        pytest.skip("there is no other file system")
    tool.env["TMPDIR"] = str(other)
    tool.run("update").ok()
    assert tool.path.read_bytes() == tool.releases.program


def test_a_check_only_reads(install: Install) -> None:
    tool = published(install())
    data = tool.run("update", "--check").ok()
    expected = {
        "status": "available",
        "current_version": VERSION,
        "target_version": NEWER,
        "update_available": True,
        "install_method": "standalone",
        "command": f"{TOOL} update",
        "severity": "warning",
        "signature_status": "not_checked",
    }
    assert {name: data[name] for name in expected} == expected
    assert set(data["release"].values()) == {True}
    tool.untouched()
    assert tool.calls("npx") == []
    (notice,) = tool.run("context").document["meta"]["notices"]
    assert (notice["type"], notice["latest_version"]) == ("update_available", NEWER)
    data = tool.run("update")
    data.ok()
    # The result of the check is out of date now.
    assert "notices" not in data.document["meta"]
    assert "notices" not in tool.run("context").document["meta"]


SAME_MAJOR = f"{VERSION.partition('.')[0]}.99.0"


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("### Security\n\n- A hole is closed.\n", "warning"),
        ("### Security\n\n### Fixed\n\n- A typo.\n", "info"),
        ("### Fixed\n\n- Security was only a word.\n", "info"),
    ],
)
def test_the_severity_comes_from_the_signed_changelog_of_the_target(
    install: Install, text: str, severity: str
) -> None:
    tool = install(SAME_MAJOR)
    changes = f"# Changelog\n\n## [{SAME_MAJOR}] - 2001-01-01\n\n{text}"
    tool.releases.entries[1].content = changes.encode()
    tool.releases.publish()
    assert tool.run("update", "--check").ok()["severity"] == severity
    # A changelog that nobody signed has no say.
    tool.releases.files["CHANGELOG.md"] = changes.replace("A ", "An ").encode()
    assert tool.run("update", "--check").ok()["severity"] == "info"


def test_a_dry_run_shows_the_plan_and_writes_nothing(install: Install) -> None:
    tool = install()
    data = tool.run("update", "--dry-run").ok()
    assert data["status"] == "planned"
    assert data["update_available"] is True
    assert not {"confirm_token", "expires_at"} & set(data)
    assert data["plan"]["archive"] == tool.releases.archive
    assert data["plan"]["signer_identity"] == tool.releases.signing.identity
    assert data["plan"]["replaces"] == str(tool.path)
    tool.untouched()
    assert tool.releases.fetched == []
    assert not (tool.state / "notices.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["update"],
        ["update", "--target-version", f"v{VERSION}"],
        ["update", "--dry-run"],
    ],
)
def test_nothing_is_done_when_the_version_is_current(
    install: Install, words: list[str]
) -> None:
    tool = install(VERSION)
    traps = ("npx", "npm", "pip", "pipx", "uv", "brew")
    for name in traps:
        tool.shim(name, "exit 1")
    data = tool.run(*words).ok()
    assert data["status"] == "current"
    assert data["current_version"] == data["target_version"] == VERSION
    assert data["update_available"] is False
    assert data["skill_sync_status"] == "not_installed"
    assert not any(tool.calls(name) for name in traps)
    tool.untouched()


def test_a_stale_skill_is_synced_even_when_the_program_is_current(
    install: Install,
) -> None:
    tool = install(VERSION)
    tool.skill.mkdir(parents=True)
    (tool.skill / "SKILL.md").write_text("my own notes\n")
    assert tool.run("update", "--dry-run").ok()["skill_sync_status"] == "stale"
    data = tool.run("update").ok()
    assert data["skill_sync_status"] == "synced"
    (backup,) = data["skill"]["backups"]
    assert (Path(backup) / "SKILL.md").read_text() == "my own notes\n"
    assert tool.run("update").ok()["skill_sync_status"] == "current"
    assert len(tool.calls("npx")) == 1


def test_a_stale_skill_is_replaced_when_the_installer_fails(install: Install) -> None:
    tool = install(VERSION)
    tool.skill.mkdir(parents=True)
    (tool.skill / "SKILL.md").write_text("old\n")
    tool.shim("npx", "exit 1")
    data = tool.run("update").ok()
    assert data["skill_sync_status"] == "synced"
    assert (tool.skill / "SKILL.md").read_text() != "old\n"


def test_an_older_version_is_installed_only_on_request(install: Install) -> None:
    tool = install("0.0.1")
    older = ("update", "--target-version", "0.0.1")
    details = tool.run(*older).fails("E_VALIDATION")
    assert "--allow-downgrade" in details["fix"]
    tool.untouched()
    data = tool.run(*older, "--allow-downgrade").ok()
    assert (data["previous_version"], data["current_version"]) == (VERSION, "0.0.1")


@pytest.mark.parametrize("words", [["update", "--check"], ["update"]])
def test_a_newest_release_that_is_older_is_a_no_op_with_a_warning(
    install: Install, words: list[str]
) -> None:
    tool = install("0.0.1")
    data = tool.run(*words).ok()
    (notice,) = data["notices"]
    assert (notice["type"], notice["severity"]) == ("remote_older", "warning")
    assert (data["remote_version"], data["update_available"]) == ("0.0.1", False)
    tool.untouched()


def test_a_release_that_disappears_is_a_warning(install: Install) -> None:
    tool = install()
    tool.run("update", "--check").ok()
    tool.releases.version = "90.0.5"
    tool.releases.publish()
    data = tool.run("update").ok()
    assert data["notices"][0]["type"] == "possible_freeze"
    assert data["status"] == "current"
    tool.untouched()


def test_a_check_without_a_network_fails_with_what_was_known(install: Install) -> None:
    tool = install()
    tool.releases.hooks[API] = lambda handler: handler.connection.close()
    assert tool.run("update", "--check").fails("E_NETWORK")["last_known"] is None
    del tool.releases.hooks[API]
    tool.run("update", "--check").ok()
    tool.releases.hooks[API] = lambda handler: handler.send(503)
    known = tool.run("update", "--check").fails("E_SERVER")["last_known"]
    assert set(known) == {"target_version", "update_available", "checked_at"}
    assert (known["target_version"], known["update_available"]) == (NEWER, True)


def test_a_token_of_github_goes_to_no_other_host(install: Install) -> None:
    tool = install()
    tool.env["GITHUB_TOKEN"] = "canary-of-github"
    result = tool.run("update")
    result.ok()
    assert all("authorization" not in asked.headers for asked in tool.releases.asked)
    assert "canary" not in result.text + result.stderr


@pytest.mark.parametrize(
    ("address", "gets"),
    [
        ("https://api.github.com/repos", True),
        ("https://github.com/x", True),
        ("https://api.github.com:8443/x", False),
        ("https://objects.githubusercontent.com/x", False),
        ("https://github.com.example.com/x", False),
        ("https://example.com/github.com", False),
    ],
)
def test_a_token_is_for_the_hosts_of_github_alone(
    monkeypatch: pytest.MonkeyPatch, address: str, gets: bool
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "canary-of-github")
    found = host.Host()
    assert bool(found.token_for(found.parse(address))) is gets


def test_leftovers_are_swept_and_never_used(install: Install) -> None:
    tool = published(install())
    left = [tool.path.parent / f".{TOOL}.0011{end}" for end in (".new", ".old")]
    for path in left:
        path.write_text("left")
    outside = tool.home / "outside"
    outside.write_text("keep")
    link = tool.path.parent / f".{TOOL}.link.new"
    link.symlink_to(outside)
    tool.run("update").ok()
    assert not any(path.exists() for path in left)
    assert outside.read_text() == "keep"
    link.unlink()
    tool.clean()


def test_two_updates_do_not_meet(install: Install) -> None:
    tool = install()

    def hang(handler: Handler) -> None:
        wait_until(lambda: API not in tool.releases.hooks)
        handler.connection.close()

    tool.releases.hooks[API] = hang
    first = tool.start("update")
    wait_until(lambda: bool(tool.releases.asked))
    details = tool.run("update").fails("E_CONFLICT")
    # The script of the program has started Python in its place, so the id is the same.
    assert (details["stage"], details["holder_pid"]) == ("replace", first.pid)
    first.kill()
    first.communicate()
    del tool.releases.hooks[API]
    # The lock went with its process.
    tool.run("update").ok()
