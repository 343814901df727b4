#!/usr/bin/env python3
"""Packs one program into the archive of its target: the same input gives the same bytes, wherever and whenever.

    pack.py --version 0.1.0 --target x86_64-unknown-linux-gnu --program target/…/aos --mtime 1790000000 --out dist

Sorted names, one owner, one time, fixed modes, nothing but files and directories below one directory.
"""

import argparse
import gzip
import io
import sys
import tarfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing of a run stays in the checkout
import targets  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["CHANGELOG.md", "LICENSE", "README.md"]
SKILL = "skills/aos"
MANUALS = "docs/man"


def skill_files(root):
    """Files of the Skill; what an installer would not copy must not be there to be missed."""
    names = []
    for path in sorted((root / SKILL).rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ValueError(f"`{path}` is neither a file nor a directory")
        if path.name in {"metadata.json", ".git", "__pycache__", "__pypackages__", ".DS_Store"}:
            raise ValueError(f"`{path}` does not belong into the Skill; installers leave it out")
        if path.is_file():
            names.append(path.relative_to(root).as_posix())
    if f"{SKILL}/SKILL.md" not in names:
        raise ValueError(f"there is no {SKILL}/SKILL.md")
    return names


def contents(root, target, program):
    """Bytes and mode by name, below the top directory."""
    data = program.read_bytes()
    if not data:
        raise ValueError(f"`{program}` is empty")
    files = {targets.program(target): (data, 0o755)}
    for name in [*DOCUMENTS, *skill_files(root)]:
        files[name] = ((root / name).read_bytes(), 0o644)
    for page in sorted((root / MANUALS).glob("*.1")):
        files[f"man/{page.name}"] = (page.read_bytes(), 0o644)
    if "man/aos.1" not in files:
        raise ValueError(f"there is no {MANUALS}/aos.1")
    return files


def entry(name, kind, mode, mtime, size):
    header = tarfile.TarInfo(name)
    header.type, header.mode, header.mtime, header.size = kind, mode, mtime, size
    # Nobody's machine is in it.
    header.uid = header.gid = 0
    header.uname = header.gname = ""
    return header


def packed(top, files, mtime):
    directories = {top}
    for name in files:
        parts = name.split("/")[:-1]
        directories |= {"/".join([top, *parts[: depth + 1]]) for depth in range(len(parts))}
    names = {name: None for name in directories} | {f"{top}/{name}": body for name, body in files.items()}
    tape = io.BytesIO()
    # The oldest format that can say all this: every reader knows it, and it has no room for more.
    with tarfile.open(fileobj=tape, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(names, key=str.encode):
            if names[name] is None:
                archive.addfile(entry(name, tarfile.DIRTYPE, 0o755, mtime, 0))
            else:
                data, mode = names[name]
                archive.addfile(entry(name, tarfile.REGTYPE, mode, mtime, len(data)), io.BytesIO(data))
    squeezed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=squeezed, mtime=mtime) as stream:
        stream.write(tape.getvalue())
    return squeezed.getvalue()


def main():
    parser = argparse.ArgumentParser(description="Pack one program into the archive of its target")
    parser.add_argument("--version", required=True)
    parser.add_argument("--target", required=True, choices=sorted(targets.TARGETS))
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--mtime", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    args = parser.parse_args()
    try:
        files = contents(args.root, args.target, args.program)
    except (OSError, ValueError) as error:
        print(f"pack: {error}", file=sys.stderr)
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    place = args.out / targets.archive(args.version, args.target)
    place.write_bytes(packed(targets.directory(args.version, args.target), files, args.mtime))
    print(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
