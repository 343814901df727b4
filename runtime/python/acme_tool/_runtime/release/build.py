"""Builds the program as one file, and the archive of a release for this platform.

Run it with `python -m` and the name of this module, at the root of the repository. It makes
dist/<tool>; with --archive it packs that as dist/<tool>-<version>-<os>-<arch>.tar.gz, too.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import PyInstaller.__main__  # type: ignore[import-untyped]

from ... import about
from ..update import archive, release

RUNTIME = Path(__file__).resolve().parent.parent
ROOT = RUNTIME.parent.parent
PACKAGE = about.__name__.partition(".")[0]
DIST = ROOT / "dist"
WORK = ROOT / "build"
SKILL = Path("skills", about.TOOL)

TRUST = Path(PACKAGE, RUNTIME.name, "update", "trusted_root.json")
# PyInstaller starts a script, which is no part of a package.
ENTRY = f"from {PACKAGE}.__main__ import main\n\nmain()\n"

# Files that the program looks for beside its modules.
DATA = {
    Path("CHANGELOG.md"): f"{PACKAGE}/data",
    SKILL: f"{PACKAGE}/data/skills/{about.TOOL}",
    TRUST: TRUST.parent.as_posix(),
}
# Only a tool that was made from a description has a table of operations.
if (ROOT / PACKAGE / "api.json").is_file():
    DATA[Path(PACKAGE, "api.json")] = PACKAGE
    DATA[Path(PACKAGE, "operations")] = f"{PACKAGE}/operations"
# Modules that libraries import only for developers or graphical programs.
UNUSED = ("curses", "mypy", "pip", "pytest", "readline", "setuptools", "tkinter")
TEXTS = ("CHANGELOG.md", "LICENSE", "NOTICE.md")


def program() -> Path:
    """Name the program that is built."""
    return Path(DIST, archive.program_name())


def build() -> None:
    """Make the program, and see that it starts."""
    WORK.mkdir(exist_ok=True)
    entry = WORK / "entry.py"
    entry.write_text(ENTRY, encoding="utf-8")
    words = [str(entry), "--name", about.TOOL, "--onefile"]
    words += ["--console", "--clean", "--noconfirm", "--noupx", "--log-level", "WARN"]
    words += ["--paths", str(ROOT), "--distpath", str(DIST)]
    words += ["--workpath", str(WORK), "--specpath", str(WORK)]
    for source, target in DATA.items():
        words += ["--add-data", f"{ROOT / source}{os.pathsep}{target}"]
    if sys.platform == "linux":
        # Each start unpacks the libraries, and symbols are a good part of them.
        words.append("--strip")
    for name in UNUSED:
        words += ["--exclude-module", name]
    PyInstaller.__main__.run(words)
    said = subprocess.run(  # noqa: S603
        [program(), "--version"], capture_output=True, check=True, text=True, timeout=60
    ).stdout
    if said != f"{about.TOOL} {about.VERSION}\n":
        sys.exit(f"error: the program says {said!r}")
    print(program().relative_to(ROOT))


def contents() -> dict[str, bytes]:
    """Return the files of an archive by their names in it."""
    paths = {name: ROOT / name for name in TEXTS if (ROOT / name).is_file()}
    for path in (ROOT / SKILL).rglob("*"):
        if path.is_file():
            paths[path.relative_to(ROOT).as_posix()] = path
    paths[archive.program_name()] = program()
    return {name: path.read_bytes() for name, path in sorted(paths.items())}


def pack() -> None:
    """Make the archive; the same files give the same bytes."""
    path = DIST / release.archive_name(about.VERSION)
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, content in contents().items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if name == archive.program_name() else 0o644
            tar.addfile(entry, io.BytesIO(content))
    # An archive that `update` would refuse is not a release.
    with tempfile.TemporaryDirectory() as directory:
        archive.unpack(path, Path(directory, about.TOOL))
    print(path.relative_to(ROOT))


def main() -> None:
    """Carry out the command line."""
    parser = argparse.ArgumentParser(description="Build the program as one file")
    parser.add_argument("--archive", action="store_true", help="pack it as well")
    options = parser.parse_args()
    build()
    if options.archive:
        pack()


if __name__ == "__main__":
    main()
