"""The verdict on a signature: each thing that can be wrong with one, by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from acme_tool._runtime.fault import Fault
from acme_tool._runtime.testkit.fake_sigstore import Signing, Sigstore
from acme_tool._runtime.update import signature
from acme_tool.about import REPOSITORY

from .shared import fixture

VERSION = "90.1.0"
CONTENT = b"the checksums of a release\n"
RIGHT = Signing.release(REPOSITORY, VERSION)

# The cases of all languages, and some that only this Sigstore can make.
SIGNING = [
    (row["case"], row["signing"])
    for row in fixture("update_faults.json")["groups"]["signature"]
    if "signing" in row
]
FAULTS = [
    *(how["fault"] for _, how in SIGNING if "fault" in how),
    "name of another kind",
    "old issuer alone",
    "no issuer",
    "checkpoint of another tree",
    "no time",
    "unknown member",
    "digest of another file",
    "member twice",
    "too deep",
    "too large",
]

SIGNERS = {case: how["identity"] for case, how in SIGNING if "identity" in how}


@pytest.fixture(autouse=True)
def root(
    sigstore: Sigstore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], int]:
    """Return what changes the trust root of these tests."""
    path = tmp_path / "trust-root.json"
    path.write_text(sigstore.trust_root())
    monkeypatch.setattr(signature, "TRUSTED_ROOT", path)
    return path.write_text


def refused(sigstore: Sigstore, how: Signing, content: bytes = CONTENT) -> str:
    with pytest.raises(Fault) as failed:
        signature.verify(content, sigstore.sign(CONTENT, how), VERSION)
    assert failed.value.code == "E_INTEGRITY"
    assert failed.value.message
    return failed.value.message


def test_what_the_release_workflow_signed_is_taken(sigstore: Sigstore) -> None:
    proof = signature.verify(CONTENT, sigstore.sign(CONTENT, RIGHT), VERSION)
    assert proof.identity == RIGHT.identity
    assert proof.log_index == 1003


@pytest.mark.parametrize("fault", FAULTS)
def test_a_signature_with_a_fault_is_refused(sigstore: Sigstore, fault: str) -> None:
    refused(sigstore, replace(RIGHT, fault=fault))


@pytest.mark.parametrize("name", SIGNERS)
def test_another_signer_is_refused(sigstore: Sigstore, name: str) -> None:
    names = {"{repository}": REPOSITORY, "{version}": VERSION}
    old, new = SIGNERS[name]
    for placeholder, value in names.items():
        old, new = old.replace(placeholder, value), new.replace(placeholder, value)
    assert old in RIGHT.identity
    refused(sigstore, replace(RIGHT, identity=RIGHT.identity.replace(old, new, 1)))


def test_another_issuer_is_refused(sigstore: Sigstore) -> None:
    refused(sigstore, replace(RIGHT, issuer="https://accounts.example.com"))


def test_another_repository_of_the_source_is_refused(sigstore: Sigstore) -> None:
    refused(sigstore, replace(RIGHT, repository="somebody/else"))


def test_other_content_is_refused(sigstore: Sigstore) -> None:
    refused(sigstore, RIGHT, CONTENT + b"\n")


def test_another_sigstore_is_refused() -> None:
    refused(Sigstore(), RIGHT)


def test_a_service_that_was_not_in_use_is_refused(
    sigstore: Sigstore, root: Callable[[str], int]
) -> None:
    past = {"start": sigstore.past(90), "end": sigstore.past(30)}
    for term in ("log_term", "authority_term"):
        root(sigstore.trust_root(**{term: past}))
        refused(sigstore, RIGHT)


def test_the_trust_root_of_a_released_program_is_that_of_sigstore(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    text = signature.TRUSTED_ROOT.read_text(encoding="utf-8")
    for service in ("rekor.sigstore.dev", "fulcio.sigstore.dev", "ctfe.sigstore.dev"):
        assert service in text
    # It does not take what another instance signed.
    refused(Sigstore(), RIGHT)
