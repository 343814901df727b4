"""Confirm tokens, with the cases of all languages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from acme_tool._runtime import confirm, fault, files

from .shared import fixture

SHARED = fixture("confirm_tokens.json")
KNOWN = SHARED["known"]
TOKEN = KNOWN["token"]


@pytest.fixture
def gate(tmp_path: Path) -> confirm.Gate:
    """Make a gate with the secret of the fixture."""
    directory = tmp_path / "state"
    secret = bytes.fromhex(KNOWN["secret"])
    files.write_private(directory / confirm.SECRET_FILE, secret)
    return confirm.Gate(directory)


def redeem(
    gate: confirm.Gate, patch: pytest.MonkeyPatch, after: float, text: str, binding: str
) -> None:
    """Use a token, seconds after the expiry of the known one."""
    patch.setattr(time, "time", lambda: KNOWN["expires"] + after)
    gate.redeem(text, binding.encode())


@pytest.mark.parametrize(
    ("after", "good"),
    [
        *SHARED["after"],
        *((-confirm.LIFETIME - early, good) for early, good in SHARED["early"]),
    ],
)
def test_the_known_token_is_good_for_its_time(
    gate: confirm.Gate, monkeypatch: pytest.MonkeyPatch, after: int, good: bool
) -> None:
    if good:
        redeem(gate, monkeypatch, after, TOKEN, KNOWN["binding"])
        return
    with pytest.raises(fault.Fault) as refused:
        redeem(gate, monkeypatch, after, TOKEN, KNOWN["binding"])
    assert refused.value.code == "E_CONFLICT"


@pytest.mark.parametrize("form", SHARED["forms"])
def test_a_text_of_another_form_is_no_token(
    gate: confirm.Gate, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    body = TOKEN.removeprefix("ct_")
    text = form.replace("{token}", TOKEN).replace("{body}", body)
    with pytest.raises(fault.Fault) as refused:
        redeem(gate, monkeypatch, -1, text, KNOWN["binding"])
    assert refused.value.code == "E_CONFLICT"


def test_the_known_token_is_not_for_another_binding(
    gate: confirm.Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(fault.Fault) as refused:
        redeem(gate, monkeypatch, -1, TOKEN, KNOWN["binding"] + " ")
    assert refused.value.code == "E_CONFLICT"
