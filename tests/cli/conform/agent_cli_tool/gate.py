"""Confirm tokens, and the gate in front of every write."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from datetime import datetime, timezone

from basis import HOME, TOKEN, Failure
from faults import FAULTS


def key():
    """Give the secret of this machine."""
    if "token-secret" in FAULTS:
        return b"a secret that everybody knows...."
    HOME.mkdir(mode=0o700, exist_ok=True)
    path = HOME / "confirm.secret"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.write(descriptor, secrets.token_bytes(32))
        os.close(descriptor)
    except FileExistsError:
        pass
    found = path.read_bytes()
    if len(found) < 32:
        raise Failure("E_CONFIG", "confirm.secret is damaged; remove it")
    return found


def seal(head, binding):
    """Bind a token to everything that it is for."""
    return hmac.new(key(), head + json.dumps(binding, sort_keys=True).encode(), "sha256").digest()


def issue(binding):
    """Make a token."""
    head = int(time.time() + 600).to_bytes(8, "big") + secrets.token_bytes(8)
    token = "ct_" + base64.urlsafe_b64encode(head + seal(head, binding)).decode()
    moment = datetime.fromtimestamp(int.from_bytes(head[:8], "big"), timezone.utc)
    return token, moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def redeem(token, binding):
    """Use a token up."""
    try:
        text = token.removeprefix("ct_")
        raw = base64.urlsafe_b64decode(text + ("=" * (-len(text) % 4) if "token-forged" in FAULTS else ""))
    except ValueError:
        raw = b""
    spelled = "ct_" + base64.urlsafe_b64encode(raw).decode()
    head = raw[:16]
    if (spelled != token and "token-forged" not in FAULTS) or len(raw) != 48:
        raise Failure("E_CONFLICT", "the token is none of this tool")
    if not hmac.compare_digest(raw[16:], seal(head, binding)):
        raise Failure("E_CONFLICT", "the token is for something else")
    if int.from_bytes(head[:8], "big") < time.time():
        raise Failure("E_CONFLICT", "the token has expired")
    if "token-once" in FAULTS:
        return
    used = HOME / "used"
    used.mkdir(mode=0o700, exist_ok=True)
    mark = used / hashlib.sha256(raw).hexdigest()
    if "token-race" in FAULTS:
        if mark.exists():
            raise Failure("E_CONFLICT", "the token was already used")
        time.sleep(0.7)
        mark.touch()
        return
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Failure("E_CONFLICT", "the token was already used") from None


def gate(path, options, binding, preview, act, *, is_dangerous=False):
    """Preview, or do what was previewed."""
    is_dry = "dry-run" in options
    if is_dangerous and "dangerous" not in options and "dangerous" not in FAULTS:
        raise Failure("E_CONFIRMATION_REQUIRED", "this cannot be undone: add --dangerous")
    whole = {"path": path, "url": os.environ.get("LEDGER_URL"), "account": hashlib.sha256(TOKEN.encode()).hexdigest(), **binding}
    if "token-payload" in FAULTS:
        whole.pop("body", None)
    if "token-account" in FAULTS:
        whole.pop("account")
    if "token-version" in FAULTS:
        whole.pop("version", None)
    if "idempotency-key" in FAULTS:
        whole.pop("key", None)
    if "batch-preview" in FAULTS:
        whole.pop("ids", None)
    if "confirm" in options:
        redeem(options["confirm"], whole)
        return act()
    if is_dry:
        token, expires = issue(whole)
        if "dry-run" in FAULTS:
            expires = "soon"
        return {"preview": preview, "confirm_token": token, "expires_at": expires}
    if "gate-bare" in FAULTS and path == "note create":
        return act()
    raise Failure("E_CONFIRMATION_REQUIRED", "look at the dry run first")
