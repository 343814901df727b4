#!/usr/bin/env python3
"""Says whether a tag may be released: every place that names the version must name this one.

    check_version.py v0.1.0 [--notes FILE]

Prints the version. `--notes` writes what CHANGELOG.md says about it, which becomes the text of the release.
"""

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TAG = re.compile(r"v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?)", re.ASCII)
HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?\s*$", re.MULTILINE)


def text(root, path):
    return (root / path).read_text(encoding="utf-8")


def manifest_version(root):
    """The version of the package in Cargo.toml; a parser of TOML is not in every Python that builds releases."""
    package = re.search(r"^\[package\]$(.*?)^\[", text(root, "Cargo.toml"), re.MULTILINE | re.DOTALL)
    found = package and re.search(r'^version = "([^"]+)"$', package.group(1), re.MULTILINE)
    return found.group(1) if found else None


def locked_version(root):
    found = re.search(r'^name = "aos"\nversion = "([^"]+)"$', text(root, "Cargo.lock"), re.MULTILINE)
    return found.group(1) if found else None


def skill_version(root):
    front = text(root, "skills/aos/SKILL.md").split("\n---\n", 1)[0]
    found = re.search(r'^    min_version: "([^"]+)"$', front, re.MULTILINE)
    return found.group(1) if found else None


def changelog(root):
    """The newest released heading: version, date, and what stands below it."""
    whole = text(root, "CHANGELOG.md")
    headings = [found for found in HEADING.finditer(whole) if found["version"].lower() != "unreleased"]
    if not headings:
        return None, None, ""
    end = headings[1].start() if len(headings) > 1 else len(whole)
    return headings[0]["version"], headings[0]["date"], whole[headings[0].end() : end].strip()


def faults(root, tag):
    """Everything that is wrong, and the version if the tag has one."""
    found = TAG.fullmatch(tag)
    if not found:
        return None, [f"`{tag[:60]!r}` is not a tag of a release; write v and MAJOR.MINOR.PATCH, for example v0.1.0"]
    version = found.group(1)
    logged, date, notes = changelog(root)
    places = {
        "Cargo.toml": manifest_version(root),
        "Cargo.lock": locked_version(root),
        "CHANGELOG.md (newest heading)": logged,
        "skills/aos/SKILL.md (metadata.requires.min_version)": skill_version(root),
    }
    wrong = [
        f"{place} says {says or 'nothing'}, and the tag says {version}"
        for place, says in places.items()
        if says != version
    ]
    for pinned in re.findall(r"--tag v(\S+)", text(root, "README.md")):
        if pinned != version:
            wrong.append(f"README.md installs v{pinned}, and the tag says {version}")
    if logged == version and not date:
        wrong.append(f"CHANGELOG.md has no date for {version}; write `## [{version}] - YYYY-MM-DD`")
    if logged == version and not notes:
        wrong.append(f"CHANGELOG.md says nothing about {version}")
    try:
        json.loads(text(root, "skills/aos/test-prompts.json"))
    except ValueError as error:
        wrong.append(f"skills/aos/test-prompts.json cannot be read: {error}")
    return version, wrong


def main():
    parser = argparse.ArgumentParser(description="Say whether a tag may be released")
    parser.add_argument("tag")
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--notes", type=Path)
    args = parser.parse_args()
    version, wrong = faults(args.root, args.tag)
    for fault in wrong:
        print(f"check_version: {fault}", file=sys.stderr)
    if wrong:
        return 1
    if args.notes:
        args.notes.write_text(changelog(args.root)[2] + "\n", encoding="utf-8")
    print(version)
    return 0


if __name__ == "__main__":
    sys.exit(main())
