"""The verdict on the signature of a release, in this process and without a network.

The trust root is the file beside this module and no other: a released program has no
way to use another one. `sigstore` does the cryptography; what it leaves to its caller
is done here: one name, one exact signer, the issuer in its present form, times within
the terms of the keys, and no time in the future.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...about import REPOSITORY
from .. import fault
from ..fault import Fault
from ..strict_json import Malformed
from . import bundle
from .stage import integrity

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

TRUSTED_ROOT = Path(__file__).resolve().parent / "trusted_root.json"
ISSUER = "https://token.actions.githubusercontent.com"
WORKFLOW = ".github/workflows/release.yml"
# How far clocks may be apart.
SKEW = timedelta(minutes=10)


@dataclass(frozen=True)
class Proof:
    """The content of a verified signature."""

    identity: str
    log_index: int


def signer(version: str) -> str:
    """Name the one who may sign a release: its workflow, at the tag of the version."""
    return f"https://github.com/{REPOSITORY}/{WORKFLOW}@refs/tags/v{version}"


def verify(content: bytes, signature: bytes, version: str) -> Proof:
    """Check that the signer of a version signed the content."""
    try:
        document = bundle.check(signature)
    except Malformed as error:
        raise integrity(f"the bundle of the checksums is refused: {error}") from error
    try:
        _verify(content, signature, signer(version))
    except ImportError as error:
        raise Fault(
            fault.CONFIG,
            f"signatures cannot be verified here: {error}",
            fix="Install the tool again, with all that it depends on",
        ) from error
    except Fault:
        raise
    except Exception as error:
        # If the library cannot give a verdict, the release is not used.
        message = f"the signature of the checksums is refused: {_words(error)}"
        raise integrity(message) from error
    entry = document["verificationMaterial"]["tlogEntries"][0]
    return Proof(signer(version), int(entry["logIndex"]))


def _verify(content: bytes, signature: bytes, identity: str) -> None:
    from sigstore.models import Bundle, TrustedRoot
    from sigstore.verify import Verifier, policy

    root = TrustedRoot.from_file(str(TRUSTED_ROOT))
    signed = Bundle.from_json(signature)
    _check_names(signed.signing_certificate, identity)
    wanted = policy.AllOf(
        [
            policy.Identity(identity=identity),
            policy.OIDCIssuerV2(ISSUER),
            policy.OIDCSourceRepositoryURI(f"https://github.com/{REPOSITORY}"),
        ]
    )
    Verifier(trusted_root=root).verify_artifact(content, signed, wanted)
    _check_times(root, signed)


def _check_names(certificate: Certificate, identity: str) -> None:
    """Require exactly one name: readers could choose different ones of several."""
    from cryptography import x509

    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    names = list(found.value)
    is_one = len(names) == 1 and isinstance(names[0], x509.UniformResourceIdentifier)
    if not is_one or names[0].value != identity:
        raise integrity(f"the signer of the checksums is not {identity}")


def _check_times(root: Any, signed: Any) -> None:
    """Hold the time of the signature against the clock and the terms of the services.

    `sigstore` verified that the times are genuine, and that the certificate was good.
    """
    entry = signed.log_entry._inner
    times = [stamp.tst_info.gen_time for stamp in _timestamps(signed)]
    if entry.integrated_time:
        times.append(datetime.fromtimestamp(int(entry.integrated_time), timezone.utc))
    logs = [
        log
        for log in root._inner.tlogs
        if log.log_id and log.log_id.key_id == entry.log_id.key_id
    ]
    authorities = root._inner.certificate_authorities
    if not times or not logs:
        raise integrity("the signature of the checksums is of no time or no known log")
    now = datetime.fromtimestamp(time.time(), timezone.utc)
    for moment in times:
        if moment > now + SKEW:
            raise integrity(
                "the signature of the checksums is from the future, or the clock of "
                "this machine is wrong"
            )
        if not any(_is_within(moment, log.public_key.valid_for) for log in logs):
            raise integrity("the log of the signature was not in use at its time")
        if not any(_is_within(moment, each.valid_for) for each in authorities):
            raise integrity("no certificate authority was in use at the time")


def _timestamps(signed: Any) -> list[Any]:
    data = signed.verification_material.timestamp_verification_data
    return list(data.rfc3161_timestamps) if data else []


def _is_within(moment: datetime, term: Any) -> bool:
    if term is None or term.start is None or moment < term.start:
        return False
    return term.end is None or moment <= term.end


def _words(error: Exception) -> str:
    first = str(error).strip().split("\n")[0] or type(error).__name__
    return first[:300]
