"""An API that takes several keys at once: they are one credential."""

from __future__ import annotations

from pathlib import Path

import pytest

from acme_tool._runtime import config
from acme_tool._runtime.config import Config, env
from acme_tool._runtime.credentials import store
from acme_tool._runtime.credentials.credential import parse
from acme_tool._runtime.credentials.keys import keys_of, variables
from acme_tool._runtime.credentials.store import Store
from acme_tool._runtime.fault import AUTH, CONFIG, VALIDATION, Fault
from acme_tool._runtime.redact import MASK, Redactor

KEYS = ("APP_ID", "SECRET")
BOTH = "APP_ID=77\nSECRET=first=secret-key"


def make(tmp_path: Path, *keys: str) -> Store:
    return Store(Config(tmp_path, use_keyring=False), Redactor(), keys=keys)


def test_several_keys_are_one_credential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redactor = Redactor()
    kept = Store(Config(tmp_path, use_keyring=False), redactor, keys=KEYS)
    monkeypatch.setenv(env("APP_ID"), " 77 ")
    monkeypatch.setenv(env("SECRET"), "first=secret-key")
    found, storage = kept.find()
    assert found is not None
    assert (found.token, storage) == (BOTH, store.ENVIRONMENT)
    assert redactor.text("of 77: first=secret-key") == f"of 77: {MASK}"
    assert kept.save(found) == store.ENCRYPTED_FILE
    for name in KEYS:
        monkeypatch.delenv(env(name))
    assert kept.find() == (found, store.ENCRYPTED_FILE)
    # The API takes other keys now.
    for keys in ((), ("APP_ID", "OTHER"), ("APP_ID",)):
        with pytest.raises(Fault) as failed:
            make(tmp_path, *keys).find()
        assert failed.value.code == CONFIG


def test_a_key_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = make(tmp_path, *KEYS)
    assert kept.find() == (None, store.NONE)
    monkeypatch.setenv(env("APP_ID"), "77")
    with pytest.raises(Fault) as failed:
        kept.find()
    assert failed.value.code == AUTH
    assert f"{env('SECRET')} is not set" in failed.value.message
    monkeypatch.setenv(env("SECRET"), "two words")
    with pytest.raises(Fault) as failed:
        kept.find()
    assert failed.value.code == CONFIG


def test_a_short_key_is_masked_as_a_word_and_a_shorter_secret_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redactor = Redactor()
    kept = Store(Config(tmp_path, use_keyring=False), redactor, keys=KEYS)
    monkeypatch.setenv(env("APP_ID"), "77")
    monkeypatch.setenv(env("SECRET"), "open")
    assert kept.find()[0] is not None
    shown = redactor.text('{"a":"open","b":"reopened"}?key=open')
    assert shown == f'{{"a":"{MASK}","b":"reopened"}}?key={MASK}'
    monkeypatch.setenv(env("SECRET"), "abc")
    with pytest.raises(Fault) as failed:
        kept.find()
    assert failed.value.code == CONFIG
    assert failed.value.message.startswith(env("SECRET"))


def test_a_file_has_a_line_for_each_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = f"\nSECRET = first=secret-key\r\n{env('APP_ID')}=77\n"
    for text in (BOTH, other):
        assert parse(text, KEYS).token == BOTH
    wrong = ("", "APP_ID=77", "APP_ID=77\nSECRET=", f"{BOTH}\nOTHER=1")
    for text in (*wrong, "APP_ID=77\nSECRET=a b"):
        with pytest.raises(Fault) as failed:
            parse(text, KEYS)
        assert failed.value.code == VALIDATION
    # An API with one key takes no lines.
    with pytest.raises(Fault) as failed:
        parse(BOTH)
    assert failed.value.code == VALIDATION
    monkeypatch.setenv(config.TOKEN, BOTH)
    with pytest.raises(Fault) as failed:
        make(tmp_path).find()
    assert failed.value.code == CONFIG


def test_keys_are_those_of_a_line() -> None:
    assert variables(("A", "B")) == f"{env('A')} and {env('B')}"
    assert keys_of("a=b") == {"TOKEN": "a=b"}
    assert list(keys_of(BOTH)) == [*KEYS]
