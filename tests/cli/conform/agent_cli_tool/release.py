"""What comes after a release was found: its signature, its archive, the swap, the Skill."""

import gzip
import hashlib
import hmac
import io
import json
import os
import secrets
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

import basis
from basis import TOOL, VERSION, Failure
from faults import FAULTS

ISSUER = "https://token.actions.githubusercontent.com"
REPOSITORY = "example/ledger"
MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
MAX_PROGRAM = 64 * 1024 * 1024


def program():
    """Give the file that updates replace; a release build of this tool has none, and trusts nobody."""
    return getattr(basis, "PROGRAM", None) and Path(basis.PROGRAM)


def archive_name(version):
    """Name the archive of a version."""
    return f"{TOOL}-{version}-any.tar.gz"


def signed(identity, issuer, content):
    """Give what a signature is over."""
    return "\n".join((identity, issuer, hashlib.sha256(content).hexdigest())).encode()


def verify(content, bundle, version):
    """Want the release workflow at the tag of the version."""
    try:
        key = (Path(os.environ["LEDGER_TRUST"]) / "key").read_bytes()
    except (KeyError, OSError):
        key = b""
    try:
        document = json.loads(bundle)
        identity, issuer = document["identity"], document["issuer"]
        good = hmac.new(key, signed(identity, issuer, content), "sha256").hexdigest()
        is_genuine = document["mediaType"] == MEDIA_TYPE and hmac.compare_digest(good, document["signature"])
    except (ValueError, KeyError, TypeError):
        is_genuine = False
    if not (key and program() and is_genuine):
        raise Failure("E_INTEGRITY", "the signature cannot be trusted")
    wanted = f"https://github.com/{REPOSITORY}/.github/workflows/release.yml@refs/tags/v{version}"
    if (identity, issuer) != (wanted, ISSUER) and "update-identity" not in FAULTS:
        raise Failure("E_INTEGRITY", "somebody else signed the release")


def check(archive, listed, name):
    """Want the digest that the list has for a name."""
    lines = [line.split() for line in listed.decode().splitlines()]
    digests = [line[0] for line in lines if line[1:] == [name]]
    if "update-checksums" not in FAULTS and digests != [hashlib.sha256(archive).hexdigest()]:
        raise Failure("E_INTEGRITY", f"the list of checksums has no such {name}")


def unpack(archive, version):
    """Give the program in an archive."""
    wanted, found = f"{TOOL}-{version}/{TOOL}", None
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            for member in tar:
                is_inside = member.name.startswith(f"{TOOL}-{version}/") and ".." not in member.name.split("/")
                is_good = is_inside and member.isfile() and member.size <= MAX_PROGRAM
                if not is_good and "update-archive" not in FAULTS:
                    raise Failure("E_INTEGRITY", "the archive has something that no release has")
                if member.name == wanted and is_good:
                    found = tar.extractfile(member).read()
    except (tarfile.TarError, gzip.BadGzipFile, EOFError) as error:
        raise Failure("E_INTEGRITY", "the archive is none") from error
    if found is None:
        raise Failure("E_INTEGRITY", "the archive has no program")
    return found


def swap(content):
    """Put the new program into the place of the old one."""
    place = program()
    mode = place.stat().st_mode & 0o7777
    staged = place.with_name(f".{TOOL}-{secrets.token_hex(8)}")
    try:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        if "update-atomic" in FAULTS:
            with place.open("wb", buffering=0) as file:
                file.write(content[:100])
                time.sleep(0.25)
                file.write(content[100:])
            return
        staged.chmod(0o755 if "update-installs" in FAULTS else mode)
        staged.replace(place)
    except PermissionError as error:
        code = "E_IO" if "update-replace" in FAULTS else "E_FORBIDDEN"
        raise Failure(code, f"{place.parent} cannot be written: give yourself the right to") from error
    finally:
        staged.unlink(missing_ok=True)


def install(target, listed, bundle, fetch, state):
    """Go from the list of checksums to the new program and its Skill."""
    verify(listed, bundle, target)
    name = archive_name(target)
    state["stage"] = "download"
    archive = fetch(name)
    state["stage"] = "verify_checksum"
    check(archive, listed, name)
    state["stage"] = "replace"
    swap(unpack(archive, target))
    state.update(current_version=target, binary_replaced=True, stage="skill_sync")
    sync(target, state)
    return {**state_after(target), "signature_verified": True, "signature_status": "verified",
            "checksum_verified": True, "install_method": "standalone"}


def state_after(target):
    """Give the members of every update that did something."""
    return {"status": "updated", "previous_version": VERSION, "current_version": target, "target_version": target,
            "update_available": False, "skill_sync_status": "synced",
            "next_step": f"{TOOL} changelog --since {VERSION}"}


def sync(target, state):
    """Let npx install the Skill."""
    words = ["npx", "skills", "add", f"https://github.com/{REPOSITORY}/tree/v{target}", "-y", "-g"]
    known = {"target_version": target, "update_available": False, "skill_sync_command": " ".join(words)}
    npx = shutil.which("npx")
    if npx is None or subprocess.run([npx, *words[1:]], capture_output=True, timeout=40, check=False).returncode:
        state["skill_sync_status"] = "failed"
        if "update-skill-sync" in FAULTS:
            state["binary_replaced"] = False
        raise Failure("E_NETWORK", f"the program is {target}, its Skill is not", **known)


# --- npm ------------------------------------------------------------------------------------------


def npm_prefix():
    """Give the prefix of npm that this program lies in, or nothing."""
    place = program()
    if place is None:
        return None
    try:
        name = json.loads((place.parent.parent / "package.json").read_text())["name"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return place.parents[4] if name == TOOL and place.parents[2].name == "node_modules" else None


def by_npm(prefix, target, state):
    """Let npm bring a version."""
    state["stage"] = "replace"
    version = "latest" if "update-managed" in FAULTS else target
    words = ["npm", "install", "--global", "--prefix", str(prefix), f"{TOOL}@{version}"]
    command = " ".join(words)
    npm = shutil.which("npm")
    if npm is None or subprocess.run([npm, *words[1:]], capture_output=True, timeout=40, check=False).returncode:
        raise Failure("E_IO", f"npm fails; run {command}", command=command)
    said = subprocess.run([program(), "--version"], capture_output=True, timeout=10, check=False).stdout.decode()
    if said.split()[1:] != [target]:
        raise Failure("E_CONFLICT", f"npm installed something else; run {command}", command=command)
    state.update(current_version=target, binary_replaced=True, stage="skill_sync")
    sync(target, state)
    return {**state_after(target), "signature_verified": False, "signature_status": "not_checked",
            "install_method": "npm"}


def told(state):
    """Give what is known of an update that a signal ended."""
    if "update-interrupt-late" in FAULTS:
        return {**state, "current_version": VERSION, "binary_replaced": False}
    return state
