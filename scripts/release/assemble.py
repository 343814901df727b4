#!/usr/bin/env python3
"""Completes a directory of archives to a release: documents, Homebrew formula and the list of digests; or compares.

    assemble.py --version 0.1.0 dist            writes install.sh, CHANGELOG.md, aos.rb, checksums.txt
    assemble.py --version 0.1.0 --check dist    fails unless dist is exactly a signed release, digest for digest
"""

import argparse
import hashlib
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing of a run stays in the checkout
import targets  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def sha256(path):
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def formula(root, version, dist):
    """The Homebrew formula with the version and the digest of each archive that it names."""
    text = (root / "packaging/homebrew/aos.rb").read_text(encoding="utf-8").replace("@VERSION@", version)
    for target in targets.TARGETS:
        mark = f"@{target}@"
        if mark in text:
            text = text.replace(mark, sha256(dist / targets.archive(version, target)))
    if "@" in text:
        raise ValueError("packaging/homebrew/aos.rb has a mark that nothing replaces")
    return text


def names(dist):
    return sorted(path.name for path in dist.iterdir())


def differences(found, wanted):
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    wrong = []
    if missing:
        wrong.append(f"missing: {', '.join(missing)}")
    if extra:
        wrong.append(f"not part of a release: {', '.join(extra)}")
    return wrong


def listed(version, dist):
    lines = [f"{sha256(dist / name)}  {name}\n" for name in targets.signed_assets(version)]
    return "".join(lines)


def assemble(root, version, dist):
    shutil.copyfile(root / "scripts/install.sh", dist / "install.sh")
    shutil.copyfile(root / "CHANGELOG.md", dist / "CHANGELOG.md")
    (dist / "aos.rb").write_text(formula(root, version, dist), encoding="utf-8")
    wrong = differences(names(dist), targets.signed_assets(version))
    if not wrong:
        (dist / targets.CHECKSUMS).write_text(listed(version, dist), encoding="ascii")
    return wrong


def check(version, dist):
    wrong = differences(names(dist), targets.assets(version))
    if not wrong and (dist / targets.CHECKSUMS).read_text(encoding="ascii") != listed(version, dist):
        wrong.append("checksums.txt is not the list of these files")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Complete a directory of archives to a release, or compare it")
    parser.add_argument("dist", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=ROOT)
    args = parser.parse_args()
    try:
        wrong = check(args.version, args.dist) if args.check else assemble(args.root, args.version, args.dist)
    except (OSError, ValueError) as error:
        wrong = [str(error)]
    for fault in wrong:
        print(f"assemble: {fault}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
