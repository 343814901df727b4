"""Credentials in a file, encrypted with AES-256-GCM, where there is no keyring.

The key lies beside it, for this user alone. That protects a copy of the one file, for
example in a backup, and not from a program that runs as the same user.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import secrets
from collections.abc import Iterator
from pathlib import Path

from ...about import TOOL
from .. import files
from ..fault import CONFIG, CONFLICT, Fault
from .credential import Credential, decode

FILE = "credentials.enc"
KEY_FILE = "credentials.key"
MAX_SIZE = 1024 * 1024

_KEY_SIZE = 32
_NONCE_SIZE = 12
_LOCK_WAIT = 5.0


class EncryptedFile:
    """The credentials of all upstreams, by their names."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._key_path = directory / KEY_FILE

    def get(self, name: str) -> Credential | None:
        """Return the credential of an upstream, if there is one."""
        sealed = self._entries().get(name)
        if sealed is None:
            return None
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            content = base64.b64decode(sealed, validate=True)
            nonce, text = content[:_NONCE_SIZE], content[_NONCE_SIZE:]
            opened = AESGCM(self._key()).decrypt(nonce, text, _bound(name))
            return decode(opened.decode())
        except (InvalidTag, binascii.Error, ValueError, FileNotFoundError) as error:
            raise _damaged(self._path, "it does not match its key") from error

    def put(self, name: str, credential: Credential) -> None:
        """Keep the credential of an upstream."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        with self._changed() as entries:
            try:
                key = self._key()
            except FileNotFoundError:
                key = secrets.token_bytes(_KEY_SIZE)
                files.write_private(self._key_path, key)
                # A file that an older key sealed can no longer be opened.
                entries.clear()
            nonce = secrets.token_bytes(_NONCE_SIZE)
            text = credential.encode().encode()
            sealed = nonce + AESGCM(key).encrypt(nonce, text, _bound(name))
            entries[name] = base64.b64encode(sealed).decode()

    def remove(self, name: str) -> None:
        """Forget the credential of an upstream."""
        if not self._path.exists():
            return
        with self._changed() as entries:
            entries.pop(name, None)

    @contextlib.contextmanager
    def _changed(self) -> Iterator[dict[str, str]]:
        try:
            with files.lock(self._path.with_suffix(".lock"), wait=_LOCK_WAIT):
                try:
                    entries = self._entries()
                except Fault:
                    # An unreadable file does not prevent a new login.
                    entries = {}
                yield entries
                files.write_private(self._path, json.dumps(entries).encode())
        except files.Held as error:
            raise Fault(
                CONFLICT,
                f"another process changes `{self._path}`",
                fix="Run the command again",
            ) from error

    def _entries(self) -> dict[str, str]:
        try:
            entries = json.loads(files.read_bounded(self._path, MAX_SIZE))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _damaged(self._path, files.reason(error)) from error
        except (ValueError, RecursionError) as error:
            raise _damaged(self._path, "it is not JSON") from error
        if not isinstance(entries, dict) or not all(
            isinstance(sealed, str) for sealed in entries.values()
        ):
            raise _damaged(self._path, "it is not a file of this tool")
        return entries

    def _key(self) -> bytes:
        try:
            status = self._key_path.lstat()
            key = files.read_bounded(self._key_path, 1024)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _damaged(self._key_path, files.reason(error)) from error
        if len(key) != _KEY_SIZE:
            raise _damaged(self._key_path, "it is not a key")
        if files.is_open_to_others(status):
            raise _damaged(self._key_path, "others can read it")
        return key


def _bound(name: str) -> bytes:
    return f"{TOOL} {name}".encode()


def _damaged(path: Path, why: str) -> Fault:
    return Fault(
        CONFIG,
        f"`{path}` cannot be used: {why}",
        fix=f"Remove the file, then run `{TOOL} auth login`",
        path=str(path),
    )
