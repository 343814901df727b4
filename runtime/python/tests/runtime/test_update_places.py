"""Disks and directories that refuse: named, and nothing is changed."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from acme_tool._runtime.fault import Fault
from acme_tool._runtime.testkit.releases import Entry, pack
from acme_tool._runtime.update import (
    archive,
    checksums,
    executable,
)
from acme_tool.about import TOOL

from .conftest import Install
from .installed import Installed, frozen

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)
root_may = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere"
)


@root_may
def test_a_directory_that_is_closed_is_seen_before_the_download(
    install: Install,
) -> None:
    tool = install()
    tool.path.parent.chmod(0o500)
    details = tool.run("update").fails("E_FORBIDDEN")
    tool.path.parent.chmod(0o700)
    assert (details["stage"], details["binary_replaced"]) == ("replace", False)
    assert tool.releases.fetched == []


@posix
def test_the_directory_for_temporary_files_may_refuse(install: Install) -> None:
    tool = install()
    (tool.home / "file").write_text("")
    tool.env["TMPDIR"] = str(tool.home / "file")
    details = tool.run("update").fails("E_IO")
    assert (details["stage"], details["path"]) == ("download", tool.env["TMPDIR"])
    assert tool.path.read_bytes() == frozen()


def grown(tool: Installed) -> bytes:
    """Let no file grow beyond 64 KiB, as a disk that is full would."""
    tool.releases.entries.append(Entry("big", os.urandom(200_000)))
    first, *rest = frozen().decode().splitlines()
    limited = "\n".join([first, "ulimit -f 128", *rest, ""]).encode()
    tool.put(tool.path, limited)
    return limited


@posix
def test_a_disk_that_is_full_is_named_while_downloading(install: Install) -> None:
    tool = install()
    limited = grown(tool)
    tool.releases.publish()
    details = tool.run("update").fails("E_IO")
    assert (details["stage"], details["binary_replaced"]) == ("download", False)
    assert tool.path.read_bytes() == limited
    tool.clean()


@posix
def test_a_disk_that_is_full_is_named_while_unpacking(install: Install) -> None:
    tool = install()
    limited = grown(tool)
    tool.releases.entries.pop()
    # It shrinks well, so the archive is small and the program is not.
    tool.releases.entries[0].content += b"#" * 200_000
    tool.releases.publish()
    details = tool.run("update").fails("E_IO")
    assert (details["stage"], details["binary_replaced"]) == ("replace", False)
    assert tool.path.read_bytes() == limited
    tool.clean()


@posix
def test_a_rename_that_fails_leaves_the_old_program(tmp_path: Path) -> None:
    # A directory takes the place of the program between the look and the swap.
    program = executable.Executable(tmp_path / "program")
    (program.path / "inside").mkdir(parents=True)
    staged = program.beside(executable.STAGED)
    staged.write_bytes(b"new")
    with pytest.raises(Fault) as failed:
        program.swap(staged)
    assert failed.value.code == "E_IO"
    assert program.path.is_dir()


def test_a_program_in_use_is_put_back_when_the_swap_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The way of Windows, which can be walked everywhere.
    monkeypatch.setattr(sys, "platform", "win32")
    program = executable.Executable(tmp_path / "program")
    program.path.write_bytes(b"old")
    staged = program.beside(executable.STAGED)
    with pytest.raises(Fault) as failed:
        program.swap(staged)
    assert "rollback_failed" not in failed.value.members
    assert program.path.read_bytes() == b"old"
    staged.write_bytes(b"new")
    program.swap(staged)
    assert program.path.read_bytes() == b"new"
    monkeypatch.undo()
    program.sweep()
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


def unpacked(tmp_path: Path, content: bytes) -> archive.Content:
    path = tmp_path / "archive"
    path.write_bytes(content)
    return archive.unpack(path, tmp_path / "program")


PROGRAM = Entry(archive.program_name(), b"program")


def test_an_archive_that_unpacks_without_end_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1_000_000)
    bomb = pack([PROGRAM, Entry("zeros", bytes(2_000_000))])
    assert len(bomb) < 100_000
    with pytest.raises(Fault, match="unpacks to more"):
        unpacked(tmp_path, bomb)


def test_a_size_that_is_a_lie_is_refused(tmp_path: Path) -> None:
    content = bytearray(gzip.decompress(pack([PROGRAM])))
    content[124:136] = b"77777777777\0"
    content[148:156] = b" " * 8
    content[148:156] = b"%06o\0 " % sum(content[:512])
    with pytest.raises(Fault, match="ends early"):
        unpacked(tmp_path, gzip.compress(bytes(content)))


@pytest.mark.parametrize("name", ["MAX_TEXT", "MAX_SKILL", "MAX_ENTRIES"])
def test_parts_of_an_archive_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(archive, name, 1)
    skill = f"skills/{TOOL}/SKILL.md"
    with pytest.raises(Fault) as failed:
        unpacked(tmp_path, pack([PROGRAM, Entry(skill, b"text")]))
    assert failed.value.code == "E_INTEGRITY"


def test_a_list_of_checksums_may_be_written_in_other_ways() -> None:
    digest = "ab" * 32
    for line in (f"{digest}  a", f"{digest} *a", f"{digest.upper()}  a\r"):
        checksums.check(f"{line}\n".encode(), "a", digest)
    with pytest.raises(Fault, match="more than"):
        checksums.parse(b"x\n" * 2000)


def test_a_file_that_cannot_be_read_is_no_verdict_on_the_release(
    tmp_path: Path,
) -> None:
    with pytest.raises(Fault) as failed:
        checksums.digest_of(tmp_path / "missing")
    assert failed.value.code == "E_IO"
