"""The result of one check of `doctor`."""

from __future__ import annotations

from typing import TypedDict

PASS, WARN, FAIL = "pass", "warn", "fail"


class Check(TypedDict):
    """The result of a check; `fix` is null exactly when it passes."""

    check: str
    status: str
    fix: str | None
    message: str


def passed(check: str, message: str) -> Check:
    """Return a check that found nothing."""
    return {"check": check, "status": PASS, "fix": None, "message": message}


def warned(check: str, message: str, fix: str) -> Check:
    """Return a check that found something that does not stop the tool."""
    return {"check": check, "status": WARN, "fix": fix, "message": message}


def failed(check: str, message: str, fix: str) -> Check:
    """Return a check that found why the tool cannot work."""
    return {"check": check, "status": FAIL, "fix": fix, "message": message}
