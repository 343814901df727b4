"""The facts of the API, from conform.toml: what requests must be, and the replies.

Nothing here looks at the code under test, so that a fault of the connector is
not repeated by what tests it.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

from .backend import Answer, Request
from .subject import REPOSITORY

# A table of conform.toml: a request with its reply, or a refusal.
Exchange = dict[str, Any]

# Python 3.10 has no `tomllib`; pytest brings `tomli` there.
tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

FILE = REPOSITORY / "conform.toml"
FIXTURE = tomllib.loads(FILE.read_text(encoding="utf-8"))
API = FIXTURE["harness"]
AUTH = API.get("auth", {})
BASE_URL = API.get("base_url", "").rstrip("/")
BASE_PATH = urlsplit(BASE_URL).path
BASE_URL_ENV = FIXTURE.get("base_url_env", "")
COMMANDS = {command["id"]: command for command in API.get("commands", [])}
LISTS = [name for name, command in COMMANDS.items() if "ids" in command]
REFUSALS = API.get("refusals", [])
PARTIALS = API.get("partials", [])


def secret_places() -> list[Exchange]:
    """The places of the credentials: header or query, and value."""
    return [AUTH, *AUTH.get("more", [])]


def credentials() -> list[str]:
    """The expected value of each of the keys."""

    def fill(found: re.Match[str]) -> str:
        names = found.group(1).split(":")
        text = ":".join(os.environ.get(name, "") for name in names)
        if len(names) == 1:
            return text
        return base64.b64encode(text.encode()).decode("ascii")

    return [
        re.sub(r"\{([^}]+)\}", fill, key.get("value", "")) for key in secret_places()
    ]


def is_authorised(request: Request) -> bool:
    """Whether a request has the credentials where the API wants them."""
    for key, wanted in zip(secret_places(), credentials(), strict=True):
        if key.get("query"):
            sent = request.values(key["query"])
        elif key.get("header"):
            sent = request.all(key["header"])
        else:
            continue
        if sent != [wanted]:
            return False
    return True


def values() -> str:
    """How the credentials are stated."""
    return " and ".join(f"`{key.get('value')}`" for key in secret_places())


def answer(exchanges: list[Exchange], request: Request) -> tuple[Answer, str]:
    """Return the API's answer, and why it refuses; "" if it does not refuse."""
    refusal, why, exchange = judge(exchanges, request)
    if exchange is None:
        return refused(refusal), why
    stated = Answer(
        exchange.get("status", 200),
        exchange.get("reply", "").encode(),
        exchange.get("headers"),
    )
    return stated, ""


def refused(when: str | Exchange) -> Answer:
    """The answer of a refusal: an entry of conform.toml, or the reason of one."""
    known = {entry["when"]: entry for entry in REFUSALS}
    entry = when if isinstance(when, dict) else known.get(when) or known["path"]
    return Answer(entry["status"], entry.get("body", "").encode(), entry.get("headers"))


def partly(partial: Exchange) -> Answer:
    """The answer of an entry of conform.toml that may be only a part."""
    body = partial.get("reply", "").encode()
    return Answer(partial.get("status", 200), body, partial.get("headers"))


def judge(
    exchanges: list[Exchange], request: Request
) -> tuple[str, str, Exchange | None]:
    """(kind of refusal, why, None), or ("", "", the exchange it belongs to)."""
    here = f"{request.method} {request.path}"
    there = [one for one in exchanges if place(one) == place_of(request)]
    public = [one for one in there if one.get("public")]
    if not is_authorised(request) and request.method not in methods(public):
        return "credentials", f"the credentials are not {values()}", None
    if not there:
        return "path", f"the API has nothing at `{here}`", None
    there = [one for one in there if one["method"] == request.method]
    if not there:
        return "method", f"the API does not take `{here}`", None
    for name, text in API.get("headers", {}).items():
        if request.all(name) != [text]:
            return "request", f"`{here}` lacks the header `{name}: {text}`", None
    kind = "".join(request.all("Content-Type")).partition(";")[0]
    kinds = [media_type(one) for one in there if one.get("body")]
    if kinds and kind not in kinds:
        return "request", f"`{here}` has a body that is not {kinds[0]}", None
    fitting = [one for one in there if not lacks(one, request)]
    if not fitting:
        return "request", f"`{here}` {lacks(there[0], request)}", None
    return "", "", max(fitting, key=weight)


def methods(exchanges: list[Exchange]) -> list[str]:
    return [one["method"] for one in exchanges]


def media_type(exchange: Exchange) -> str:
    return str(exchange.get("content_type") or "application/json")


def place(exchange: Exchange) -> list[str]:
    return [unquote(part) for part in (BASE_PATH + exchange["path"]).split("/")]


def place_of(request: Request) -> list[str]:
    return [unquote(part) for part in request.path.split("/")]


def query(exchange: Exchange) -> dict[str, list[str]]:
    stated = exchange.get("query", {}).items()
    return {name: text if isinstance(text, list) else [text] for name, text in stated}


def body(exchange: Exchange) -> Any:
    return json.loads(exchange["body"]) if exchange.get("body") else None


def lacks(exchange: Exchange, request: Request) -> str:
    """Return the part that a request lacks, or ""."""
    for name, texts in query(exchange).items():
        if request.values(name) != texts:
            return f"lacks `{name}={','.join(texts)}` in its query"
    for name, text in exchange.get("sends", {}).items():
        if request.all(name) != [text]:
            return f"lacks the header `{name}: {text}`"
    wanted = body(exchange)
    if wanted is not None and not holds(request.body, wanted):
        return f"does not have {exchange['body']} in its body"
    return ""


def holds(found: Any, wanted: Any) -> bool:
    """Whether `found` contains `wanted`; it may have more members."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(
            name in found and holds(found[name], part) for name, part in wanted.items()
        )
    return json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)


def weight(exchange: Exchange) -> tuple[int, int]:
    """Sorts exchanges that fit: the most specific one counts."""
    return len(exchange.get("query", {})), len(exchange.get("body", ""))


def is_exactly(exchange: Exchange, request: Request) -> bool:
    """Whether a request has nothing beside what is stated."""
    names = {name for name, _ in request.query} - {
        key.get("query") for key in secret_places()
    }
    sent = json.dumps(request.body, sort_keys=True)
    return (
        (request.method, place_of(request)) == (exchange["method"], place(exchange))
        and not lacks(exchange, request)
        and names == set(query(exchange))
        and sent in (json.dumps(body(exchange), sort_keys=True), no_body(exchange))
    )


def no_body(exchange: Exchange) -> str:
    """An empty object is as good as no body."""
    return "" if exchange.get("body") else "{}"
