"""Publishes releases for `aos conform`: the good one, and those with a fault.

They are signed by a Sigstore of the tests, which no released program can be told to
trust. `--program DIR` writes the one that can: it starts the code of this work tree as if
it were frozen into one file. `aos conform` calls both, by conform.toml.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import io
import shlex
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from ...about import REPOSITORY, VERSION
from ..update.archive import program_name
from .fake_sigstore import Sigstore
from .releases import SKILL, Entry, Releases
from .sandbox import ROOT

START = f"{__package__}.frozen_start"
MEBIBYTE = 1024 * 1024

# A function that turns a good release into a broken one.
Spoil = Callable[[Releases], None]


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--version", default=VERSION)
    parser.add_argument("--kinds", default="good")
    options = parser.parse_args(words)
    if options.program:
        path = options.program / program_name()
        write(path, program(VERSION))
        path.chmod(0o755)
    if options.out:
        publish(options.out, options.version, options.kinds.split(","))


def program(version: str) -> bytes:
    """Return a program of one file that trusts what the tests say, as some version."""
    start = shlex.join([sys.executable, "-m", START])
    words = [f'PYTHONPATH={shlex.quote(str(ROOT))} exec {start} "$0"']
    words += [shlex.quote(version), '"$@"']
    return f"#!/bin/sh\n{' '.join(words)}\n".encode()


def publish(out: Path, version: str, kinds: list[str]) -> None:
    """Write the trust root, the new program, its Skill, and the releases."""
    sigstore = Sigstore()
    write(out / "trust" / "trusted_root.json", sigstore.trust_root().encode())
    write(out / "program", program(version))
    for path in filter(Path.is_file, SKILL.rglob("*")):
        name = path.relative_to(SKILL.parent)
        write(out / "skills" / name, path.read_bytes())
    for kind in kinds:
        if spoil := KINDS.get(kind):
            release = Releases(sigstore, version)
            release.entries[0].content = program(version)
            release.publish()
            spoil(release)
            for file, content in release.files.items():
                write(out / kind / file, content)


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def signed(change: Callable[[Releases], dict[str, str]]) -> Spoil:
    """Let somebody else sign."""

    def spoil(release: Releases) -> None:
        release.signing = dataclasses.replace(release.signing, **change(release))
        release.sign()

    return spoil


def named(change: Callable[[str, str], str]) -> Spoil:
    """Let a signer of another name sign."""

    def spoil(release: Releases) -> dict[str, str]:
        return {"identity": change(release.signing.identity, release.version)}

    return signed(spoil)


def listed(change: Callable[[str], str]) -> Spoil:
    """Let the list of checksums have another line for the archive."""

    def spoil(release: Releases) -> None:
        def lines(text: str) -> str:
            return "".join(
                change(line) if line.endswith(f"  {release.archive}\n") else line
                for line in text.splitlines(keepends=True)
            )

        release.list_files(lines)

    return spoil


def packed(change: Callable[[list[Entry]], list[Entry]]) -> Spoil:
    """Let the archive have other entries; the first one is the program."""

    def spoil(release: Releases) -> None:
        release.entries = change(release.entries)
        release.publish()

    return spoil


def explosive(release: Releases) -> None:
    """Let a small archive have a program that is larger than any."""
    member = tarfile.TarInfo(program_name())
    member.size, member.mode = 600 * MEBIBYTE, 0o755
    content, zeros = io.BytesIO(), bytes(MEBIBYTE)
    with gzip.GzipFile(fileobj=content, mode="wb", compresslevel=1, mtime=0) as file:
        file.write(member.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(600):
            file.write(zeros)
        file.write(bytes(1024))
    release.files[release.archive] = content.getvalue()
    release.list_files()


NULL = "0" * 64
ESCAPED = Entry("../aos-conform-escaped", b"escaped")
LINK = Entry(program_name(), kind=tarfile.SYMTYPE, link="/bin/sh")

KINDS: dict[str, Spoil] = {
    "good": lambda release: None,
    "wrong-repository": signed(
        lambda release: {
            "identity": release.signing.identity.replace(REPOSITORY, "somebody/else"),
            "repository": "somebody/else",
        }
    ),
    "wrong-workflow": named(lambda name, _: name.replace("release.yml", "ci.yml")),
    "wrong-ref": named(
        lambda name, version: name.replace(f"refs/tags/v{version}", "refs/heads/main")
    ),
    "wrong-tag": named(lambda name, version: name.replace(f"/v{version}", "/v0.0.1")),
    "identity-prefix": named(lambda name, _: f"https://example.com/{name}"),
    "identity-suffix": named(lambda name, _: f"{name}-rc.1"),
    "wrong-issuer": signed(lambda _: {"issuer": "https://accounts.example.com"}),
    "legacy-bundle": signed(lambda _: {"fault": "old format of cosign"}),
    "bad-signature": signed(lambda _: {"fault": "bad signature"}),
    "checksum-mismatch": listed(lambda line: NULL + line[64:]),
    "checksum-missing": listed(lambda line: line.replace(".tar.gz", ".zip")),
    "checksum-duplicate": listed(lambda line: line + NULL + line[64:]),
    "archive-traversal": packed(lambda entries: [*entries, ESCAPED]),
    "archive-symlink": packed(lambda entries: [LINK, *entries[1:]]),
    "archive-wrong-member": packed(
        lambda entries: [
            dataclasses.replace(entries[0], name=f"other/{program_name()}"),
            *entries[1:],
        ]
    ),
    "archive-no-program": packed(lambda entries: entries[1:]),
    "archive-too-large": explosive,
}


if __name__ == "__main__":
    main(sys.argv[1:])
