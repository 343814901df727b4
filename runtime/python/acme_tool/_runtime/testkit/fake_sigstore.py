"""A Sigstore in memory: certificate authority, certificate log, transparency log.

It makes what the release workflow makes, and it can do one thing wrong at a time. The
tree of the log is built by hand, so that it shares nothing with the verifier.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ISSUER = "https://token.actions.githubusercontent.com"

Key = ec.EllipticCurvePrivateKey

_FULCIO = "1.3.6.1.4.1.57264.1"
_TIMESTAMPS = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_LOG = "rekor.tests.invalid"


@dataclass(frozen=True)
class Signing:
    """The signer, and the fault of the signature."""

    identity: str
    repository: str
    issuer: str = ISSUER
    fault: str = ""

    @classmethod
    def release(cls, repository: str, version: str, fault: str = "") -> Signing:
        """Sign as the release workflow of a repository does."""
        workflow = f"https://github.com/{repository}/.github/workflows/release.yml"
        return cls(f"{workflow}@refs/tags/v{version}", repository, fault=fault)


class Sigstore:
    """All services of one instance."""

    def __init__(self) -> None:
        self._now = datetime.fromtimestamp(int(time.time()) - 30, timezone.utc)
        self._root_key, self._key = _key(), _key()
        self._ct, self._log = _key(), _key()
        self._root = self._authority("root", self._root_key, None)
        self._issuing = self._authority("issuing", self._key, self._root)

    def trust_root(self, **changes: Any) -> str:
        """Return the document that anchors a verification."""
        start = {"start": _stamp(self._now - timedelta(days=399))}
        certificates = [
            {"rawBytes": _b64(_der(c))} for c in (self._issuing, self._root)
        ]
        document = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [_log_instance(self._log, changes.get("log_term", start))],
            "ctlogs": [_log_instance(self._ct, start)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "tests", "commonName": "root"},
                    "uri": "https://ca.tests.invalid",
                    "certChain": {"certificates": certificates},
                    "validFor": changes.get("authority_term", start),
                }
            ],
            "timestampAuthorities": [],
        }
        return json.dumps(document)

    def past(self, days: int) -> str:
        """Return a time before that of all signatures."""
        return _stamp(self._now - timedelta(days=days))

    def sign(self, content: bytes, how: Signing) -> bytes:
        """Make the bundle of a file."""
        if how.fault == "no JSON":
            return b"signed, honestly"
        key = _key()
        certificate = self._certificate(key, how)
        signature = _sign(_key() if how.fault == "bad signature" else key, content)
        digest = hashlib.sha256(content).digest()
        entry = self._entry(digest, signature, certificate, how)
        bundle: dict[str, Any] = {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "certificate": {"rawBytes": _b64(_der(certificate))},
                "tlogEntries": [entry],
            },
            "messageSignature": {
                "messageDigest": {"algorithm": "SHA2_256", "digest": _b64(digest)},
                "signature": _b64(signature),
            },
        }
        return _spoiled(bundle, how.fault)

    def _authority(
        self, name: str, key: Key, parent: x509.Certificate | None
    ) -> x509.Certificate:
        subject = _name(name)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(parent.subject if parent else subject)
            .serial_number(x509.random_serial_number())
            .public_key(key.public_key())
            .not_valid_before(self._now - timedelta(days=400))
            .not_valid_after(self._now + timedelta(days=3650))
            .add_extension(x509.BasicConstraints(True, None), critical=True)
            .add_extension(_usage(is_authority=True), critical=True)
            .add_extension(_identifier(key), critical=False)
        )
        if parent:
            for extension in (
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]),
                _issued_by(self._root_key),
            ):
                builder = builder.add_extension(extension, critical=False)
        return builder.sign(self._root_key, hashes.SHA256())

    def _certificate(self, key: Key, how: Signing) -> x509.Certificate:
        fault = how.fault
        start, end = self._now - timedelta(minutes=1), self._now + timedelta(minutes=9)
        if fault == "expired certificate":
            start, end = start - timedelta(hours=2), end - timedelta(hours=2)
        if fault == "entry of the future":
            end += timedelta(days=2)
        signer = _key() if fault == "foreign authority" else self._key
        purpose = ExtendedKeyUsageOID.CODE_SIGNING
        if fault == "not for code":
            purpose = ExtendedKeyUsageOID.SERVER_AUTH
        names: list[x509.GeneralName] = [x509.UniformResourceIdentifier(how.identity)]
        if fault == "two names":
            names.append(x509.UniformResourceIdentifier("https://example.com/other"))
        if fault == "name of another kind":
            names = [x509.RFC822Name("release@example.com")]
        claims = {"12": f"https://github.com/{how.repository}"}
        claims["1" if fault == "old issuer alone" else "8"] = how.issuer
        if fault == "no issuer":
            del claims["8"]

        def build(serial: int) -> x509.CertificateBuilder:
            builder = (
                x509.CertificateBuilder()
                .subject_name(x509.Name([]))
                .issuer_name(self._issuing.subject)
                .serial_number(serial)
                .public_key(key.public_key())
                .not_valid_before(start)
                .not_valid_after(end)
                .add_extension(_usage(is_authority=False), critical=True)
                .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
                .add_extension(_identifier(key), critical=False)
                .add_extension(_issued_by(signer), critical=False)
                .add_extension(x509.SubjectAlternativeName(names), critical=True)
            )
            for number, claim in claims.items():
                oid = x509.ObjectIdentifier(f"{_FULCIO}.{number}")
                text = claim.encode()
                if number != "1":
                    text = b"\x0c" + _der_length(len(text)) + text
                extension = x509.UnrecognizedExtension(oid, text)
                builder = builder.add_extension(extension, critical=False)
            return builder

        logged = build(77).sign(signer, hashes.SHA256())
        if fault == "no certificate log":
            return logged
        log = _key() if fault == "foreign certificate log" else self._ct
        promise = x509.UnrecognizedExtension(_TIMESTAMPS, self._promise(logged, log))
        serial = 78 if fault == "promise for another certificate" else 77
        complete = build(serial).add_extension(promise, critical=False)
        return complete.sign(signer, hashes.SHA256())

    def _promise(self, logged: x509.Certificate, key: Key) -> bytes:
        """Return the timestamps of the certificate log for a certificate (RFC 6962)."""
        moment = int(logged.not_valid_before_utc.timestamp() * 1000).to_bytes(8, "big")
        body = logged.tbs_certificate_bytes
        issuer = hashlib.sha256(_public(self._key)).digest()
        entry = b"\0\1" + issuer + len(body).to_bytes(3, "big") + body + b"\0\0"
        signature = _sign(key, b"\0\0" + moment + entry)
        stamp = b"\0" + _key_id(self._ct) + moment + b"\0\0" + b"\x04\x03"
        stamp += len(signature).to_bytes(2, "big") + signature
        listed = len(stamp).to_bytes(2, "big") + stamp
        listed = len(listed).to_bytes(2, "big") + listed
        return b"\x04" + _der_length(len(listed)) + listed

    def _entry(
        self,
        digest: bytes,
        signature: bytes,
        certificate: x509.Certificate,
        how: Signing,
    ) -> dict[str, Any]:
        fault = how.fault
        if fault == "entry of another file":
            digest = hashlib.sha256(b"another file").digest()
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        body = _canonical(
            {
                "apiVersion": "0.0.1",
                "kind": "hashedrekord",
                "spec": {
                    "data": {"hash": {"algorithm": "sha256", "value": digest.hex()}},
                    "signature": {
                        "content": _b64(signature),
                        "publicKey": {"content": _b64(pem)},
                    },
                },
            }
        )
        key = _key() if fault == "foreign log" else self._log
        moment = int(self._now.timestamp())
        moment += 86400 if fault == "entry of the future" else 0
        promised = _canonical(
            {
                "body": _b64(body),
                "integratedTime": moment,
                "logID": _key_id(self._log).hex(),
                "logIndex": 1003,
            }
        )
        promise = _sign(_key() if fault == "bad promise" else key, promised)
        return {
            "logIndex": "1003",
            "logId": {"keyId": _b64(_key_id(self._log))},
            "kindVersion": {"kind": "hashedrekord", "version": "0.0.1"},
            "integratedTime": str(moment),
            "inclusionPromise": {"signedEntryTimestamp": _b64(promise)},
            "inclusionProof": self._proof(body, key, fault),
            "canonicalizedBody": _b64(body),
        }

    def _proof(self, body: bytes, key: Key, fault: str) -> dict[str, Any]:
        """Return the path from the entry to the root, and the root that the log signed."""
        beside, leaf = _leaf(b"another entry"), _leaf(body)
        root = hashlib.sha256(b"\1" + beside + leaf).digest()
        if fault == "checkpoint of another tree":
            root = hashlib.sha256(b"another tree").digest()
        note = f"{_LOG} - 42\n2\n{_b64(root)}\n"
        signer = _key() if fault == "bad checkpoint" else key
        hinted = _key_id(self._log)[:4] + _sign(signer, note.encode())
        if fault == "bad inclusion proof":
            beside = hashlib.sha256(beside).digest()
        return {
            "logIndex": "1",
            "treeSize": "2",
            "rootHash": _b64(root),
            "hashes": [_b64(beside)],
            "checkpoint": {"envelope": f"{note}\n\u2014 {_LOG} {_b64(hinted)}\n"},
        }


# The fault of the bundle as a document; everything in it stays genuine.
def _spoiled(bundle: dict[str, Any], fault: str) -> bytes:
    material = bundle["verificationMaterial"]
    signature = bundle["messageSignature"]
    if fault == "no log entry":
        material["tlogEntries"] = []
    elif fault == "two log entries":
        material["tlogEntries"] *= 2
    elif fault == "no inclusion proof":
        del material["tlogEntries"][0]["inclusionProof"]
    elif fault == "no time":
        del material["tlogEntries"][0]["inclusionPromise"]
    elif fault == "older media type":
        bundle["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.1"
    elif fault == "no media type":
        del bundle["mediaType"]
    elif fault == "two contents":
        bundle["dsseEnvelope"] = {"payload": "", "payloadType": "x", "signatures": []}
    elif fault == "unknown member":
        material["extra"] = "x"
    elif fault == "digest of another file":
        digest = hashlib.sha256(b"another file").digest()
        signature["messageDigest"]["digest"] = _b64(digest)
    elif fault == "old format of cosign":
        bundle = {"base64Signature": signature["signature"], "cert": "x"}
    content = json.dumps(bundle)
    if fault == "member twice":
        content = content.replace('{"mediaType"', '{"mediaType": "x", "mediaType"', 1)
    if fault == "too deep":
        content = content.replace('"1003"', "[" * 50 + "]" * 50)
    if fault == "too large":
        content += " " * 300_000
    return content.encode()


def _log_instance(key: Key, term: dict[str, str]) -> dict[str, Any]:
    return {
        "baseUrl": f"https://{_LOG}",
        "hashAlgorithm": "SHA2_256",
        "publicKey": {
            "rawBytes": _b64(_public(key)),
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "validFor": term,
        },
        "logId": {"keyId": _b64(_key_id(key))},
    }


def _key() -> Key:
    return ec.generate_private_key(ec.SECP256R1())


def _sign(key: Key, content: bytes) -> bytes:
    return key.sign(content, ec.ECDSA(hashes.SHA256()))


def _public(key: Key) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _key_id(key: Key) -> bytes:
    return hashlib.sha256(_public(key)).digest()


def _identifier(key: Key) -> x509.SubjectKeyIdentifier:
    return x509.SubjectKeyIdentifier.from_public_key(key.public_key())


def _issued_by(key: Key) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def _der_length(length: int) -> bytes:
    if length < 128:
        return bytes([length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def _leaf(content: bytes) -> bytes:
    return hashlib.sha256(b"\0" + content).digest()


def _canonical(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode()


def _b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
