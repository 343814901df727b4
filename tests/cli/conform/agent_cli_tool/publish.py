"""Publishes releases of this tool for tests, the good one and those with a fault, all signed with a key of the tests.

Called as `publish.py --out DIR --version VERSION --kinds KIND,KIND`. What is not known is left out.
"""

import gzip
import hashlib
import hmac
import io
import json
import secrets
import sys
import tarfile
from pathlib import Path

from release import ISSUER, MEDIA_TYPE, REPOSITORY, TOOL, archive_name, signed

HERE = Path(__file__).resolve().parent
WORKFLOWS = ".github/workflows"
MEBIBYTE = 1024 * 1024


def pack(entries):
    """Make an archive of names and contents; a text stands for where a link leads."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in entries:
            member = tarfile.TarInfo(name)
            member.mode = 0o755
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), 1, mtime=0)


def bomb(name):
    """Make a small archive of a large file."""
    member = tarfile.TarInfo(name)
    member.size = 600 * MEBIBYTE
    zeroes = gzip.compress(bytes(20 * MEBIBYTE), 9, mtime=0)
    return gzip.compress(member.tobuf(tarfile.USTAR_FORMAT), 1, mtime=0) + zeroes * 30


def archive(kind, version, program):
    """Make the archive of a release."""
    top = f"{TOOL}-{version}"
    if kind == "archive-traversal":
        return pack([(f"{top}/{TOOL}", program), (f"{top}/../../aos-conform-escaped", b"escaped")])
    if kind == "archive-symlink":
        return pack([(f"{top}/{TOOL}", "/etc/hostname")])
    if kind == "archive-wrong-member":
        return pack([(f"other/{TOOL}", program)])
    if kind == "archive-no-program":
        return pack([(f"{top}/README.md", b"Read me.\n")])
    if kind == "archive-too-large":
        return bomb(f"{top}/{TOOL}")
    return pack([(f"{top}/{TOOL}", program)])


def checksums(kind, name, content):
    """Make the list of checksums."""
    digest, other = hashlib.sha256(content).hexdigest(), hashlib.sha256(b"other").hexdigest()
    line, wrong = f"{digest}  {name}\n", f"{other}  {name}\n"
    known = {"checksum-mismatch": wrong, "checksum-missing": f"{digest}  other.tar.gz\n",
             "checksum-duplicate": line + wrong}
    return known.get(kind, line).encode()


def bundle(kind, version, content, key):
    """Sign the list of checksums."""
    identity = f"https://github.com/{REPOSITORY}/{WORKFLOWS}/release.yml@refs/tags/v{version}"
    identities = {
        "wrong-repository": identity.replace(REPOSITORY, "example/other"),
        "wrong-workflow": identity.replace("release.yml", "ci.yml"),
        "wrong-ref": identity.replace(f"refs/tags/v{version}", "refs/heads/main"),
        "wrong-tag": identity.replace(f"v{version}", "v0.0.1"),
        "identity-prefix": f"https://example.com/{identity}",
        "identity-suffix": f"{identity}-1",
    }
    identity = identities.get(kind, identity)
    issuer = "https://example.com" if kind == "wrong-issuer" else ISSUER
    signer = secrets.token_bytes(32) if kind == "bad-signature" else key
    signature = hmac.new(signer, signed(identity, issuer, content), "sha256").hexdigest()
    if kind == "legacy-bundle":
        return json.dumps({"base64Signature": signature, "cert": "x"}).encode()
    return json.dumps({"mediaType": MEDIA_TYPE, "identity": identity, "issuer": issuer, "signature": signature}).encode()


KINDS = ["good", "wrong-repository", "wrong-workflow", "wrong-ref", "wrong-tag", "identity-prefix", "identity-suffix",
         "wrong-issuer", "legacy-bundle", "bad-signature", "checksum-mismatch", "checksum-missing",
         "checksum-duplicate", "archive-traversal", "archive-symlink", "archive-wrong-member", "archive-no-program",
         "archive-too-large"]


def main(words):
    """Publish."""
    options = dict(zip(words[::2], words[1::2], strict=True))
    out, version = Path(options["--out"]), options["--version"]
    key = secrets.token_bytes(32)
    (out / "trust").mkdir()
    (out / "trust" / "key").write_bytes(key)
    text = (HERE / "installed.py").read_text().replace('"1.2.0"', f'"{version}"')
    (out / "program").write_text(text)
    for kind in filter(KINDS.__contains__, options["--kinds"].split(",")):
        (out / kind).mkdir()
        name, packed = archive_name(version), archive(kind, version, text.encode())
        listed = checksums(kind, name, packed)
        files = {name: packed, "checksums.txt": listed,
                 "checksums.txt.sigstore.json": bundle(kind, version, listed, key)}
        for each, content in files.items():
            (out / kind / each).write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1:])
