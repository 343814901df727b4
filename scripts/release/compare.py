#!/usr/bin/env python3
"""Compares a downloaded draft with what was built and signed: the same files, byte for byte, and in each archive the
program of its build job.

    compare.py --version 0.1.0 --signed signed --programs programs draft
"""

import argparse
import hashlib
import sys
import tarfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing of a run stays in the checkout
import targets  # noqa: E402


def digests(directory):
    files = [path for path in directory.rglob("*") if not path.is_dir()]
    odd = [path for path in files if path.is_symlink() or not path.is_file()]
    if odd:
        raise ValueError(f"`{odd[0]}` is not a plain file")
    return {path.relative_to(directory).as_posix(): digest(path.read_bytes()) for path in files}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def same_files(signed, draft):
    expected, found = digests(signed), digests(draft)
    if not expected:
        raise ValueError(f"`{signed}` is empty")
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            raise ValueError(f"the draft lacks `{name}`")
        if name not in expected:
            raise ValueError(f"the draft has `{name}`, which was not signed")
        if expected[name] != found[name]:
            raise ValueError(f"`{name}` of the draft is not the signed file")


def same_programs(version, programs, draft):
    for target in targets.TARGETS:
        name = targets.program(target)
        built = programs / f"program-{target}" / name
        top = f"aos-v{version}-{target}"
        archive = draft / f"{top}.tar.gz"
        with tarfile.open(archive, "r:gz") as packed:
            member = packed.extractfile(f"{top}/{name}")
            if member is None or digest(member.read()) != digest(built.read_bytes()):
                raise ValueError(f"the program in `{archive.name}` is not the one that its job built")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--signed", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("draft", type=Path)
    arguments = parser.parse_args()
    try:
        same_files(arguments.signed, arguments.draft)
        same_programs(arguments.version, arguments.programs, arguments.draft)
    except (OSError, ValueError, KeyError, tarfile.TarError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
