"""Confirm tokens, and the gate in front of every write."""

import binascii
import os
import sys
import time

from basis import HOME, TOKEN, Failure, directory, in_home
from document import dumps
from faults import FAULTS


def encoded(raw):
    """Give bytes as base64 for URLs."""
    return binascii.b2a_base64(raw, newline=False).translate(bytes.maketrans(b"+/", b"-_")).decode()


def decoded(text):
    """Give the bytes of such a text."""
    return binascii.a2b_base64(text.encode("ascii").translate(bytes.maketrans(b"-_", b"+/")))


def key():
    """Give the secret of this machine."""
    directory(HOME)
    path = in_home("confirm.secret")
    try:
        mode = 0o644 if "token-secret" in FAULTS else 0o600
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        os.write(descriptor, os.urandom(32))
        os.close(descriptor)
    except FileExistsError:
        pass
    try:
        with open(path, "rb") as file:
            found = file.read()
    except OSError as error:
        raise Failure("E_CONFIG", f"confirm.secret cannot be read: {error}") from error
    if len(found) < 32 and "token-secret-damaged" not in FAULTS:
        raise Failure("E_CONFIG", "confirm.secret is damaged; remove it")
    return b"a secret that everybody knows...." if "token-machine" in FAULTS else found


def seal(head, binding):
    """Bind a token to everything that it is for."""
    # Slow to load, and most calls do without.
    import hmac

    return hmac.new(key(), head + dumps(binding, is_sorted=True).encode(), "sha256").digest()


def issue(binding):
    """Make a token."""
    from _datetime import datetime, timezone

    life = min(600, int(os.environ.get("LEDGER_TOKEN_LIFE", "600")))
    head = int(time.time() + life).to_bytes(8, "big") + os.urandom(8)
    token = "ct_" + encoded(head + seal(head, binding))
    moment = datetime.fromtimestamp(int.from_bytes(head[:8], "big"), timezone.utc)
    return token, moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def refuse_used(options):
    """Refuse a token that was used, whatever happened to its target since."""
    import hashlib

    try:
        raw = decoded(options.get("confirm", "").removeprefix("ct_"))
    except ValueError:
        return
    if raw and os.path.exists(in_home("used", hashlib.sha256(raw).hexdigest())):
        raise Failure("E_CONFLICT", "the token was already used")


def redeem(token, binding):
    """Use a token up."""
    try:
        text = token.removeprefix("ct_")
        raw = decoded(text + ("=" * (-len(text) % 4) if "token-forged" in FAULTS else ""))
    except ValueError:
        raw = b""
    spelled = "ct_" + encoded(raw)
    head = raw[:16]
    if (spelled != token and "token-forged" not in FAULTS) or len(raw) != 48:
        raise Failure("E_CONFLICT", "the token is none of this tool")
    import hashlib
    import hmac

    is_open = "rare-forged" in FAULTS and binding["path"] == "note update"
    if not is_open and not hmac.compare_digest(raw[16:], seal(head, binding)):
        raise Failure("E_CONFLICT", "the token is for something else")
    if int.from_bytes(head[:8], "big") < time.time() and "token-expired" not in FAULTS:
        raise Failure("E_CONFLICT", "the token has expired")
    if "token-once" in FAULTS:
        return
    mark = in_home("used", hashlib.sha256(raw).hexdigest())
    try:
        directory(in_home("used"))
    except OSError as error:
        if "token-storage" in FAULTS:
            raise Failure("E_IO", f"the token cannot be used up: {error}") from error
        sys.stderr.write(f"the use of the token could not be recorded: {error}\n")
        return
    if "token-race" in FAULTS:
        if os.path.exists(mark):
            raise Failure("E_CONFLICT", "the token was already used")
        time.sleep(0.7)
        open(mark, "w").close()
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
    import hashlib

    whole = {"path": path, "url": os.environ.get("LEDGER_URL"), "account": hashlib.sha256(TOKEN.encode()).hexdigest(), **binding}
    if "token-payload" in FAULTS:
        whole.pop("body", None)
    if "token-account" in FAULTS:
        whole.pop("account")
    if "rare-account" in FAULTS and path == "note delete":
        whole.pop("account")
    if "token-version" in FAULTS:
        whole.pop("version", None)
    if "idempotency-key" in FAULTS:
        whole.pop("key", None)
    if "batch-preview" in FAULTS:
        whole.pop("ids", None)
    if "confirm" in options:
        redeem(options["confirm"], whole)
        if "rare-prompt" in FAULTS and path == "note delete":
            sys.stdin.read(1)
        return act()
    if is_dry:
        token, expires = issue(whole)
        if "dry-run" in FAULTS and "LEDGER_TOKEN_LIFE" not in os.environ:
            expires = "soon"
        return {"preview": preview, "confirm_token": token, "expires_at": expires}
    if "gate-examples" in FAULTS and whole.get("ids") == ["1"]:
        return act()
    if "gate-bare" in FAULTS and path == "note publish":
        return act()
    details = {} if "rare-preview" in FAULTS and path == "note update" else {"preview": preview}
    raise Failure("E_CONFIRMATION_REQUIRED", "look at the dry run first", **details)
