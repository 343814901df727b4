"""Finds and keeps the credential of one upstream."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from ...about import TOOL
from ..config import Config
from ..fault import CONFIG, IO, Fault
from ..redact import Redactor
from .credential import Credential, decode, from_environment
from .encrypted_file import EncryptedFile
from .keys import keys_of, variables
from .session_bus import keyring_may_exist

NONE = "none"
KEYRING = "keyring"
ENCRYPTED_FILE = "encrypted-file"
ENVIRONMENT = "env"

# A locked keyring may wait for a person.
_KEYRING_LIMIT = 3.0

T = TypeVar("T")


class NoKeyring(Exception):
    """There is no keyring that can be used."""


class Store:
    """The credential of one upstream, in each of its locations."""

    def __init__(
        self,
        setup: Config,
        redactor: Redactor,
        *,
        expiring: bool = False,
        keys: Sequence[str] = (),
    ) -> None:
        # The names of the keys of an API that takes several at once.
        self.keys = keys
        self._name = setup.upstream_name
        self._use_keyring = setup.use_keyring
        self._file = EncryptedFile(setup.home)
        self._redactor = redactor
        self._expiring = expiring

    def find(self) -> tuple[Credential | None, str]:
        """Return the credential in effect, and its location."""
        found, storage = self.stored()
        if found is None:
            found = from_environment(expiring=self._expiring, keys=self.keys)
            storage = ENVIRONMENT if found else NONE
        if found is not None:
            self.know(found)
        return found, storage

    def stored(self) -> tuple[Credential | None, str]:
        """Return the credential that is kept, and where."""
        found, storage = self._kept()
        if found and keys_of(found.token).keys() != {*(self.keys or ("TOKEN",))}:
            raise Fault(
                CONFIG,
                "the stored credential does not have the keys that the API takes",
                fix=f"Run `{TOOL} auth login` with {variables(self.keys)}",
            )
        return found, storage

    def _kept(self) -> tuple[Credential | None, str]:
        try:
            text = self._ask(lambda ring: ring.get_password(TOOL, self._name))
        except NoKeyring:
            text = None
        if text is not None:
            try:
                return decode(text), KEYRING
            except ValueError as error:
                raise Fault(
                    CONFIG,
                    "the credential in the keyring cannot be read",
                    fix=f"Run `{TOOL} auth logout`, then `{TOOL} auth login`",
                ) from error
        found = self._file.get(self._name)
        return found, ENCRYPTED_FILE if found else NONE

    def know(self, credential: Credential) -> None:
        """Keep a credential from being shown."""
        self._redactor.add(*credential.secrets)

    def save(self, credential: Credential) -> str:
        """Keep a credential: in the keyring when there is one, else in the file."""
        self.know(credential)
        text = credential.encode()
        try:
            self._ask(lambda ring: ring.set_password(TOOL, self._name, text))
        except NoKeyring:
            self._file.put(self._name, credential)
            return ENCRYPTED_FILE
        # An older copy in the file could be used later.
        self._file.remove(self._name)
        return KEYRING

    def remove(self) -> None:
        """Remove the credential from each location."""
        try:
            kept = self._ask(lambda ring: ring.get_password(TOOL, self._name))
            if kept is not None:
                self._ask(lambda ring: ring.delete_password(TOOL, self._name))
        except NoKeyring as error:
            if self._use_keyring and self._has_copy():
                raise Fault(
                    IO,
                    "the keyring does not release the credential",
                    fix="Unlock the keyring of the system, then run the command again",
                ) from error
        self._file.remove(self._name)

    def _has_copy(self) -> bool:
        try:
            return (
                self._ask(lambda ring: ring.get_password(TOOL, self._name)) is not None
            )
        except NoKeyring:
            return False

    def _ask(self, question: Callable[[_Ring], T]) -> T:
        if not self._use_keyring or not keyring_may_exist():
            raise NoKeyring
        answers: queue.Queue[tuple[bool, T | Exception]] = queue.Queue()

        def ask() -> None:
            try:
                answers.put((True, question(_ring())))
            except Exception as error:  # noqa: BLE001
                # Every keyring fails in its own way; all of it means the same.
                answers.put((False, error))

        threading.Thread(target=ask, daemon=True).start()
        try:
            answered, answer = answers.get(timeout=_KEYRING_LIMIT)
        except queue.Empty:
            raise NoKeyring from None
        if not answered or isinstance(answer, Exception):
            raise NoKeyring
        return answer


class _Ring:
    """The keyring of the system."""

    def __init__(self) -> None:
        import keyring
        from keyring.backends import fail

        self._ring = keyring.get_keyring()
        # Without a backend every call would fail, one by one.
        if isinstance(self._ring, fail.Keyring):
            raise NoKeyring

    def get_password(self, service: str, name: str) -> str | None:
        return self._ring.get_password(service, name)

    def set_password(self, service: str, name: str, value: str) -> None:
        self._ring.set_password(service, name, value)

    def delete_password(self, service: str, name: str) -> None:
        self._ring.delete_password(service, name)


def _ring() -> _Ring:
    return _Ring()


def login_hint(keys: Sequence[str] = ()) -> str:
    """Say how a credential is set up."""
    return f"Run `{TOOL} auth login`, or set {variables(keys)}"
