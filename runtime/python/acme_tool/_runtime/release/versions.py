"""Keeps the version in one place: VERSION in about.py of the package.

Everything else that names it is compared, or set with --write.

Run it with `python -m` and the name of this module:
[--write] [--tag v1.2.3] [--notes FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from ... import about

ROOT = Path(about.__file__).resolve().parent.parent
PACKAGE = about.__name__.partition(".")[0]
SKILL = f"skills/{about.TOOL}/SKILL.md"
MANIFEST = "package.json"

_STATED = re.compile(r'^VERSION = "([^"\n]*)"$', re.MULTILINE)
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")
_LISTED = re.compile(r"^version: .*$", re.MULTILINE)
_NEEDED = re.compile(r'"min_version": "[^"]*"')
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DATED = re.compile(r"## \[[^]]+\] - \d{4}-\d{2}-\d{2}")


class Disagreement(Exception):
    """Two files that have different versions."""


def read(name: str) -> str:
    """Read a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def stated() -> str:
    """Return the version of the program."""
    found = _STATED.search(read(f"{PACKAGE}/about.py"))
    if found is None or not _VERSION.fullmatch(found[1]):
        raise Disagreement(f"VERSION in {PACKAGE}/about.py is not a version")
    return found[1]


def wanted(version: str) -> dict[str, str]:
    """Return each file that names the version, with the version in it."""
    manifest = read(MANIFEST)
    document = json.loads(manifest)
    pins = dict.fromkeys(document["optionalDependencies"], version)
    described = {**document, "version": version, "optionalDependencies": pins}
    if described != document:
        manifest = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    skill = _LISTED.sub(f'version: "{version}"', read(SKILL), count=1)
    skill = _NEEDED.sub(f'"min_version": "{version}"', skill, count=1)
    return {MANIFEST: manifest, SKILL: skill}


def notes(version: str, *, is_release: bool) -> str:
    """Return the section of a version in the changelog, without comments."""
    text = _COMMENT.sub("", read("CHANGELOG.md"))
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    released = [section for section in sections if re.match(r"## \[\d", section)]
    if not released or not released[0].startswith(f"## [{version}]"):
        raise Disagreement(f"the newest version in CHANGELOG.md is not {version}")
    heading, _, body = released[0].partition("\n")
    if is_release and not _DATED.fullmatch(heading.rstrip()):
        example = f"## [{version}] - 2030-01-31"
        raise Disagreement(f"CHANGELOG.md has no date for {version}, as in `{example}`")
    if not body.strip():
        raise Disagreement(f"CHANGELOG.md says nothing about {version}")
    return f"{body.strip()}\n"


def run(options: argparse.Namespace) -> None:
    """Compare, or write."""
    version = stated()
    if options.tag not in (None, f"v{version}"):
        raise Disagreement(f"the tag is {options.tag!r} and the program is {version}")
    text = notes(version, is_release=options.tag is not None)
    for name, content in wanted(version).items():
        if content == read(name):
            continue
        if not options.write:
            repair = f"python -m {__package__}.versions --write"
            raise Disagreement(f"{name} is not at {version}; run `{repair}`")
        (ROOT / name).write_text(content, encoding="utf-8", newline="\n")
    if options.notes is not None:
        options.notes.write_text(text, encoding="utf-8", newline="\n")
    print(version)


def main() -> None:
    """Carry out the command line."""
    parser = argparse.ArgumentParser(description="Keep the version in one place")
    parser.add_argument("--write", action="store_true", help="set what differs")
    parser.add_argument("--tag", help="the tag of a release, which has a date")
    parser.add_argument("--notes", type=Path, help="where its section goes")
    try:
        run(parser.parse_args())
    except Disagreement as found:
        sys.exit(f"error: {found}")


if __name__ == "__main__":
    main()
