"""A Sigstore bundle, read strictly before `sigstore` sees it.

The library is lenient about what it does not need, and a bundle that says two things
could be read in two ways. Only what `cosign sign-blob --new-bundle-format` writes is
taken: one signature over one file, one certificate, one log entry with its proof.
"""

from __future__ import annotations

from typing import Any

from .. import strict_json
from ..strict_json import Malformed

MAX_SIZE = 256 * 1024

MEDIA_TYPES = (
    "application/vnd.dev.sigstore.bundle.v0.3+json",
    "application/vnd.dev.sigstore.bundle+json;version=0.3",
)

# Every allowed member and its allowed members. None is a value without members.
_Shape = dict[str, Any]
_PROOF: _Shape = {
    "logIndex": None,
    "rootHash": None,
    "treeSize": None,
    "hashes": None,
    "checkpoint": {"envelope": None},
}
_ENTRY: _Shape = {
    "logIndex": None,
    "logId": {"keyId": None},
    "kindVersion": {"kind": None, "version": None},
    "integratedTime": None,
    "inclusionPromise": {"signedEntryTimestamp": None},
    "inclusionProof": _PROOF,
    "canonicalizedBody": None,
}
_BUNDLE: _Shape = {
    "mediaType": None,
    "verificationMaterial": {
        "certificate": {"rawBytes": None},
        "tlogEntries": [_ENTRY],
        "timestampVerificationData": {"rfc3161Timestamps": [{"signedTimestamp": None}]},
    },
    "messageSignature": {
        "messageDigest": {"algorithm": None, "digest": None},
        "signature": None,
    },
}


def check(content: bytes) -> dict[str, Any]:
    """Return the document of a bundle, or raise Malformed."""
    if len(content) > MAX_SIZE:
        raise Malformed(f"it is larger than {MAX_SIZE} bytes")
    document = strict_json.loads(content, folded=True)
    if not isinstance(document, dict):
        raise Malformed("it is not an object")
    if "base64Signature" in document:
        raise Malformed(
            "it has the old format of cosign; sign with a new bundle format"
        )
    if document.get("mediaType") not in MEDIA_TYPES:
        raise Malformed("its media type is not that of a bundle of version 0.3")
    if "messageSignature" not in document:
        raise Malformed("it does not contain a signature of the file")
    _check_members(document, _BUNDLE)
    material = document.get("verificationMaterial")
    if not isinstance(material, dict) or "certificate" not in material:
        raise Malformed("it does not contain exactly one certificate")
    entries = material.get("tlogEntries")
    if not isinstance(entries, list) or len(entries) != 1:
        raise Malformed("it does not contain exactly one log entry")
    if "inclusionProof" not in entries[0]:
        raise Malformed("its log entry has no proof")
    return document


def _check_members(value: Any, shape: Any) -> None:
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise Malformed("it has a member of another kind")
        for item in value:
            _check_members(item, shape[0])
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            raise Malformed("it has a member of another kind")
        for name, member in value.items():
            if name not in shape:
                raise Malformed("it has a member that a signature does not have")
            _check_members(member, shape[name])
    elif isinstance(value, dict):
        raise Malformed("it has a member of another kind")
