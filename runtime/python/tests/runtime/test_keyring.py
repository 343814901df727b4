"""The keyring of the system, with one in memory in its place."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from acme_tool._runtime.config import Config
from acme_tool._runtime.credentials import store
from acme_tool._runtime.credentials.credential import Credential
from acme_tool._runtime.credentials.session_bus import keyring_may_exist
from acme_tool._runtime.credentials.store import Store
from acme_tool._runtime.fault import Fault
from acme_tool._runtime.redact import Redactor

FIRST = Credential("first-secret-token")


class InMemory(KeyringBackend):
    """A keyring that keeps its entries here; it may be locked or slow."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}
        self.is_locked = False
        self.pause = 0.0

    def _open(self) -> None:
        time.sleep(self.pause)
        if self.is_locked:
            raise RuntimeError("the keyring is locked")

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        del self.entries[service, username]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> InMemory:
    made = InMemory()
    monkeypatch.setattr(keyring, "get_keyring", lambda: made)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "in.memory")
    return made


def make(tmp_path: Path) -> Store:
    return Store(Config(tmp_path), Redactor())


def test_a_credential_goes_to_the_keyring_and_to_no_file(
    tmp_path: Path, ring: InMemory
) -> None:
    kept = make(tmp_path)
    assert kept.save(FIRST) == store.KEYRING
    assert len(ring.entries) == 1
    assert kept.find() == (FIRST, store.KEYRING)
    assert list(tmp_path.glob("credentials*")) == []
    kept.remove()
    assert ring.entries == {}


@pytest.mark.parametrize("trouble", ["locked", "slow", "none"])
def test_without_a_keyring_the_file_takes_its_place(
    tmp_path: Path, ring: InMemory, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    ring.is_locked = trouble == "locked"
    ring.pause = 5.0 if trouble == "slow" else 0.0
    if trouble == "none":
        monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    monkeypatch.setattr(store, "_KEYRING_LIMIT", 0.2)
    kept = make(tmp_path)
    assert kept.save(FIRST) == store.ENCRYPTED_FILE
    assert kept.find() == (FIRST, store.ENCRYPTED_FILE)
    content = (tmp_path / "credentials.enc").read_bytes()
    assert FIRST.token.encode() not in content


def test_an_older_copy_in_the_file_does_not_come_back(
    tmp_path: Path, ring: InMemory
) -> None:
    kept = make(tmp_path)
    ring.is_locked = True
    kept.save(Credential("older-secret-token"))
    ring.is_locked = False
    kept.save(FIRST)
    ring.entries.clear()
    assert kept.stored() == (None, store.NONE)


def test_an_entry_that_cannot_be_read_is_named(tmp_path: Path, ring: InMemory) -> None:
    kept = make(tmp_path)
    kept.save(FIRST)
    ring.entries = dict.fromkeys(ring.entries, "{")
    with pytest.raises(Fault) as failed:
        kept.find()
    assert failed.value.code == "E_CONFIG"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a session bus")
def test_on_linux_a_keyring_needs_a_session_bus_or_a_choice_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ring: InMemory
) -> None:
    monkeypatch.delenv("PYTHON_KEYRING_BACKEND")
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert not keyring_may_exist()
    assert make(tmp_path).save(FIRST) == store.ENCRYPTED_FILE
    assert ring.entries == {}
    for place in ("bus", "python_keyring/keyringrc.cfg"):
        file = tmp_path / place
        file.parent.mkdir(exist_ok=True)
        file.touch()
        assert keyring_may_exist(), place
        file.unlink()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus")
    assert keyring_may_exist()
