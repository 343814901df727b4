"""Confirm tokens: keyed with a secret of this machine, for one call, good once.

A token is bound to everything that makes a write what it is. It expires, and it works
once, also when several processes use it at the same moment.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import struct
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from . import files
from .fault import CONFIG, CONFLICT, Fault

LIFETIME = 600
SECRET_FILE = "confirm.secret"  # noqa: S105
CONSUMED = "confirm-consumed"

_PREFIX = "ct_"
_VERSION = 1
_HEAD = struct.Struct(">BQ16s")
_SIZE = _HEAD.size + hashlib.sha256().digest_size
_SECRET_SIZE = 32
_LOCK_WAIT = 5.0
_SLACK = 60
# A clock that was ahead and is set back must not revive a token.
_KEPT = 24 * 3600


@dataclass(frozen=True)
class Token:
    """A new token and the time until which it is valid."""

    text: str
    expires_at: str


class Gate:
    """Makes and checks tokens with the secret in one directory."""

    def __init__(self, directory: Path, lifetime: float = LIFETIME) -> None:
        self._directory = directory
        self._lifetime = int(min(lifetime, LIFETIME))

    def issue(self, binding: bytes) -> Token:
        """Make a token for a binding."""
        expires = int(time.time()) + self._lifetime
        head = _HEAD.pack(_VERSION, expires, secrets.token_bytes(16))
        body = head + _seal(self._secret(), head, binding)
        text = _PREFIX + base64.urlsafe_b64encode(body).decode().rstrip("=")
        moment = datetime.fromtimestamp(expires, timezone.utc)
        return Token(text, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def check_unused(self, text: str) -> None:
        """Refuse a token that was used, for any change and at any later time."""
        try:
            body = _decode(text)
        except Fault:
            # A text that is not a token was never used; `redeem` reports it.
            return
        _, expires, _ = _HEAD.unpack(body[: _HEAD.size])
        if os.path.lexists(self._directory / CONSUMED / _record(body, expires)):
            raise _refused("was already used")

    def redeem(self, text: str, binding: bytes) -> str:
        """Check a token for a binding and use it up.

        Gives a warning when its use could not be recorded; the write may go on then.
        """
        key = self._secret()
        body = _decode(text)
        head, seal = body[: _HEAD.size], body[_HEAD.size :]
        if not hmac.compare_digest(seal, _seal(key, head, binding)):
            raise _refused(
                "is not for this call: arguments, account, target or version differ"
            )
        _, expires, _ = _HEAD.unpack(head)
        if not 0 < expires - time.time() <= LIFETIME + _SLACK:
            raise _refused("has expired")
        return self._consume(body, expires)

    def _consume(self, body: bytes, expires: int) -> str:
        directory = self._directory / CONSUMED
        name = _record(body, expires)
        try:
            files.make_private(directory)
            # Exactly one process can create the record.
            os.close(files.create_private(directory / name))
        except FileExistsError as error:
            raise _refused("was already used") from error
        except (Fault, OSError) as error:
            return f"the use of the confirm token could not be recorded: {error}"
        _forget(directory)
        return ""

    def _secret(self) -> bytes:
        # If the secret cannot be trusted, the call fails; no option changes that.
        path = self._directory / SECRET_FILE
        files.make_private(self._directory)
        with contextlib.suppress(FileNotFoundError):
            return _read_secret(path)
        try:
            with files.lock(path.with_suffix(".lock"), wait=_LOCK_WAIT):
                with contextlib.suppress(FileNotFoundError):
                    return _read_secret(path)
                fresh = secrets.token_bytes(_SECRET_SIZE)
                files.write_private(path, fresh)
                return fresh
        except files.Held as error:
            raise Fault(
                CONFLICT,
                f"another process is creating `{path}`",
                fix="Run the command again",
            ) from error


def fingerprint(text: str) -> str:
    """Name a token without giving it away."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _decode(text: str) -> bytes:
    encoded = text.removeprefix(_PREFIX)
    try:
        body = base64.b64decode(
            encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True
        )
    except (binascii.Error, ValueError):
        body = b""
    # One token has one spelling, else its use could be recorded under another one.
    spelling = _PREFIX + base64.urlsafe_b64encode(body).decode().rstrip("=")
    if len(body) != _SIZE or body[0] != _VERSION or spelling != text:
        raise _refused("was not issued by this tool")
    return body


def _record(body: bytes, expires: int) -> str:
    """Name the use of a token."""
    return f"{expires}-{hashlib.sha256(body).hexdigest()}"


def _seal(key: bytes, head: bytes, binding: bytes) -> bytes:
    return hmac.new(key, head + hashlib.sha256(binding).digest(), "sha256").digest()


def _refused(why: str) -> Fault:
    return Fault(
        CONFLICT,
        f"the confirm token {why}",
        fix="Run the command with --dry-run again, look at the preview, and use the "
        "new token",
    )


def _read_secret(path: Path) -> bytes:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise files.Unusable("it is not a regular file")
        if files.is_open_to_others(status):
            raise files.Unusable("others can read it")
        if sys.platform != "win32" and status.st_uid != os.geteuid():
            raise files.Unusable("it belongs to another user")
        secret = files.read_bounded(path, 1024)
        if len(secret) < _SECRET_SIZE:
            raise files.Unusable("it is too short")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Fault(
            CONFIG,
            f"`{path}` cannot be trusted: {files.reason(error)}",
            fix="Remove the file; a new one is created, and issued confirm tokens become invalid",
            path=str(path),
        ) from error
    return secret


def _forget(directory: Path) -> None:
    """Remove the records of tokens that expired long ago."""
    with contextlib.suppress(OSError):
        for record in directory.iterdir():
            expires = record.name.partition("-")[0]
            if expires.isdigit() and time.time() > int(expires) + _KEPT:
                record.unlink(missing_ok=True)
