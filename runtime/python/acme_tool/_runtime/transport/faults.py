"""The meaning of an HTTP answer, or of a missing one; only this module decides it."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from ... import contract_gen
from .. import fault, signals
from ..fault import Fault
from .address import Unacceptable
from .http import ProxyTrouble

MAX_RETRY_AFTER = 3600
DEFAULT_RETRY_AFTER = 60

Header = Callable[[str], str]

# Statuses that the contract does not name.
_STATUSES = {
    400: fault.VALIDATION,
    410: fault.NOT_FOUND,
    412: fault.CONFLICT,
    413: fault.VALIDATION,
    422: fault.VALIDATION,
    423: fault.CONFLICT,
    428: fault.CONFLICT,
}
_MEANING = {
    fault.AUTH: "the credential is not accepted",
    fault.FORBIDDEN: "the account is not allowed to do this",
    fault.NOT_FOUND: "it does not exist",
    fault.CONFLICT: "the state has changed",
    fault.VALIDATION: "a value was refused",
    fault.RATE_LIMITED: "too many requests",
    fault.TIMEOUT: "it took too long",
    fault.SERVER: "it has a server error",
    fault.CONFIG: "it redirects the request, which is not followed",
}
_FIX = {
    fault.AUTH: "Check the credential with `doctor`; log in again if it is no longer valid",
    fault.FORBIDDEN: "Ask for the permission, or use an account that has it",
    fault.NOT_FOUND: "Check the id; a list command shows what exists",
    fault.CONFLICT: "Read the state again, then begin with a new dry run",
    fault.VALIDATION: "Correct the arguments; details has the response of the server",
    fault.CONFIG: "Set the address to which the server has moved",
}
AGAIN = "Wait a moment, then run the command again"


def code_of(status: int, header: Header) -> str:
    """Return the error code of a status. Words of the body never decide it."""
    if status == 403 and _is_rate_limit(header):
        return fault.RATE_LIMITED
    if code := contract_gen.code_for_status(status) or _STATUSES.get(status):
        return code
    return fault.CONFIG if 300 <= status <= 399 else fault.UNKNOWN


def of_status(host: str, status: int, header: Header, code: str = "") -> Fault:
    """Say what an answer without success means; `code` when it was typed."""
    code = code or code_of(status, header)
    failed = Fault(code, f"`{host}` responded with status {status}", status=status)
    if code in _MEANING:
        failed.message += f": {_MEANING[code]}"
    if code == fault.RATE_LIMITED:
        seconds = retry_after(header)
        failed.fix = f"Wait {seconds} s, then run the command again"
        return failed.with_details(retry_after_s=seconds)
    again = AGAIN if failed.retryable else "Report the status, with the command"
    failed.fix = _FIX.get(code, again)
    return failed


def of_error(host: str, error: Exception) -> Fault:
    """Say what it means that no answer came."""
    if signals.came():
        return fault.cancelled()
    if isinstance(error, TimeoutError):
        return Fault(fault.TIMEOUT, f"`{host}` took too long", fix=AGAIN)
    if _is_distrust(error):
        return Fault(
            fault.CONFIG,
            f"the certificate of `{host}` is not trusted: {_words(error)}",
            fix="Install the CA certificates of the system, or set SSL_CERT_FILE to "
            "those of your network",
        )
    fix = "Look at the network and the proxy settings, then run the command again"
    failed = Fault(
        fault.NETWORK, f"`{host}` sent no response: {_words(error)}", fix=fix
    )
    if isinstance(error, ProxyTrouble):
        failed.with_details(proxy=error.proxy.name)
        if error.status == 407:
            failed.code = fault.CONFIG
            failed.fix = "Put the user and password of the proxy into HTTPS_PROXY"
    return failed


def retry_after(header: Header) -> int:
    """Return the seconds that a server asks to wait, within bounds."""
    wait: float = DEFAULT_RETRY_AFTER
    text, reset = header("Retry-After").strip(), header("X-RateLimit-Reset").strip()
    if _is_number(text):
        wait = int(text[:9])
    elif text:
        try:
            wait = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            wait = DEFAULT_RETRY_AFTER
    elif _is_number(reset):
        wait = int(reset[:15]) - time.time()
    return max(1, min(round(wait), MAX_RETRY_AFTER))


# The errors of a request before there is a status.
ERRORS = (OSError, http.client.HTTPException, Unacceptable)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_rate_limit(header: Header) -> bool:
    return header("X-RateLimit-Remaining") == "0" or bool(header("Retry-After"))


def _is_distrust(error: Exception) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError) or (
        # No certificates could be loaded at all.
        isinstance(error, ssl.SSLError)
        and error.reason in ("NO_CERTIFICATE_OR_CRL_FOUND",)
    )


def _words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, http.client.UnknownProtocol) or (
        isinstance(error, http.client.BadStatusLine) and not isinstance(error, OSError)
    ):
        # Its words would be those of the server, as many as it likes.
        return "what it sends is not HTTP"
    return str(error) or type(error).__name__
