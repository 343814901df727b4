"""A mock of a described API, and what tests compare with it.

`exchanges.json` has for each operation the request that its sample makes, and a reply
that fits. It was made from the description and not from the table that the tool sends
by, so that the two are held against each other.
"""

from __future__ import annotations

import copy
import functools
import json
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from .mock import Account, Mock, Reply, Request, refused

# Entries of each list.
ENTRIES = 3
# A member that an object gets when it is changed, like the version in an API.
REVISION = "mock_revision"


@dataclass(frozen=True)
class Exchange:
    """One operation: a call of the tool, the request that it makes, and the reply."""

    facts: dict[str, Any]

    @property
    def words(self) -> tuple[str, ...]:
        """The call, with every flag of the operation."""
        meant = ["--dangerous"] if self.facts["dangerous"] else []
        return (*self.facts["command"].split(), *self.facts["arguments"], *meant)

    @property
    def writes(self) -> bool:
        """Whether the call needs a token."""
        return bool(self.facts["writes"])

    def differences(
        self, request: Request, credential: Sequence[str] = ()
    ) -> list[str]:
        """Return how a request differs from the described one."""
        facts, found = self.facts, []
        query = [pair for pair in _query(request) if pair[0] not in credential]
        paging = _paging(facts)
        sent = sorted(pair for pair in query if pair[0] not in paging)
        wanted = sorted((name, text) for name, text in facts["query"])
        for what, theirs, ours in (
            ("method", request.method, facts["method"]),
            ("path", request.path, facts["paths"][0]),
            ("query", sent, wanted),
            ("body", *_bodies(facts, request)),
        ):
            if theirs != ours:
                found.append(f"{what}: {theirs!r} and not {ours!r}")
        for name, text in facts["headers"]:
            if request.headers.get(name.lower()) != text:
                found.append(f"header {name}: {request.headers.get(name.lower())!r}")
        return found


class ExchangeMock(Mock):
    """The described API in memory: it knows the things of the samples, and what changed."""

    def __init__(self, path: Path, accounts: dict[str, Account]) -> None:
        super().__init__(accounts)
        self.auth, self.exchanges, self._served = _read(path)
        self.anonymous = self.auth["form"] == "none"
        self._changed: dict[str, dict[str, Any]] = {}
        self._gone: set[str] = set()
        self._writes = 0

    @property
    def credential(self) -> list[str]:
        """The names in the query that carry the credential."""
        keys = self.auth.get("keys", [self.auth])
        return [str(each["name"]) for each in keys if each["form"] == "query"]

    def token_of(self, request: Request) -> str:
        """Return the credential, from where the description puts it."""
        if self.auth["form"] != "keys":
            return _key(self.auth, request)
        keys = self.auth["keys"]
        return "\n".join(f"{each['variable']}={_key(each, request)}" for each in keys)

    def answer(self, request: Request) -> Reply:
        """Answer a request for one of the things, or hand it to the routes."""
        with self.lock:
            facts = self._served.get((request.method, request.path))
            if facts is not None and request.path not in self._gone:
                return self._answered(facts, request)
        return super().answer(request)

    def _answered(self, facts: dict[str, Any], request: Request) -> Reply:
        if not facts["public"]:
            self._authorised(request, "")
        if request.method == "DELETE":
            self._gone.add(request.path)
        elif request.method in ("PUT", "PATCH") or self._is_changed_by(request):
            changed = self._changed.setdefault(request.path, {})
            changed.update(_members(facts, request))
            self._writes += 1
            changed[REVISION] = self._writes
        if facts["reply"] == "empty":
            return Reply(status=204)
        if facts["reply"] == "text":
            return Reply(content=b"text", media_type="text/plain; charset=utf-8")
        status = 202 if facts["reply"] == "accepted" else 200
        if facts["list"] is not None:
            return self._page(facts, request)
        sample = facts["sample"]
        if isinstance(sample, dict):
            changed = self._changed.get(request.path, {})
            named = {*sample, REVISION}
            known = {name: changed[name] for name in changed if name in named}
            sample = {**sample, **known}
        return Reply(sample, status)

    def _is_changed_by(self, request: Request) -> bool:
        """Say whether it is a POST to a thing that a GET shows."""
        read = self._served.get(("GET", request.path))
        return request.method == "POST" and read is not None and read["list"] is None

    def _page(self, facts: dict[str, Any], request: Request) -> Reply:
        rules = facts["list"]
        entries = [
            _entry(facts["sample"], rules["item_id"], at) for at in range(ENTRIES)
        ]
        query = dict(_query(request))
        if rules.get("place") == "body":
            query = {
                name: str(value) for name, value in _members(facts, request).items()
            }
        size = int(query.get(rules["limit"], ENTRIES)) if rules["limit"] else ENTRIES
        start = _start(rules, query, size, entries)
        if rules["style"] == "none":
            start, size = 0, ENTRIES
        page, after = entries[start : start + size], start + size
        document: Any = page
        headers = {}
        if rules["items"]:
            document = {}
            _put(document, rules["items"], page)
        is_more = after < ENTRIES
        if rules["style"] == "link":
            link = f"{request.path}?mock_start={after}"
            if rules["limit"]:
                link += f"&{rules['limit']}={size}"
            if is_more and not rules["next"]:
                headers["Link"] = f'<{link}>; rel="next"'
            elif rules["next"] and rules["items"]:
                _put(document, rules["next"], link if is_more else None)
        elif rules["style"] == "cursor" and rules["items"] and not _is_by_entry(rules):
            _put(document, rules["next"], f"~{after}/" if is_more else None)
        if rules["items"] and rules["more"]:
            _put(document, rules["more"], is_more)
        if rules["items"] and rules["total"]:
            _put(document, rules["total"], ENTRIES)
        return Reply(document, headers=headers)


# The content of the file: the form of the credential, the operations, and the facts of
# those that answer a method and a path.
_Known = tuple[
    dict[str, Any], tuple[Exchange, ...], dict[tuple[str, str], dict[str, Any]]
]


@functools.cache
def _read(path: Path) -> _Known:
    """Read the file once for all tests; its content does not change."""
    document = json.loads(path.read_text(encoding="utf-8"))
    served: dict[tuple[str, str], dict[str, Any]] = {}
    for facts in document["exchanges"]:
        for each in facts["paths"]:
            # The first one answers.
            served.setdefault((facts["method"], each), facts)
    return document["auth"], tuple(map(Exchange, document["exchanges"])), served


def _key(auth: dict[str, Any], request: Request) -> str:
    form, name = auth["form"], auth["name"]
    if form == "header":
        return request.headers.get(name.lower(), "")
    if form == "query":
        return dict(_query(request)).get(name, "")
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if form == "basic" and scheme == "Basic":
        return b64decode(text).decode("utf-8", "replace")
    return text if form == "bearer" and scheme == "Bearer" else ""


def _is_by_entry(rules: dict[str, Any]) -> bool:
    """Say whether a page begins after the last entry of the one before it."""
    return ".-1." in rules["next"]


def _start(
    rules: dict[str, Any], query: dict[str, str], size: int, entries: list[Any]
) -> int:
    if "mock_start" in query:
        return int(query["mock_start"])
    text = query.get(rules["position"], "") if rules["position"] else ""
    if not text:
        return 0
    if rules["style"] == "page":
        return (int(text) - 1) * size
    if rules["style"] == "offset":
        return int(text)
    if _is_by_entry(rules):
        ids = [str(_at(entry, rules["item_id"])) for entry in entries]
        if text not in ids:
            raise refused(
                400, "invalid_cursor", "the cursor does not belong to this list"
            )
        return ids.index(text) + 1
    if not (text.startswith("~") and text.endswith("/")):
        raise refused(400, "invalid_cursor", "the cursor does not belong to this list")
    return int(text[1:-1])


def _at(entry: Any, path: str) -> Any:
    for key in path.split("."):
        entry = entry.get(key) if isinstance(entry, dict) else None
    return entry


def _entry(sample: Any, path: str, at: int) -> Any:
    value = _at(sample, path)
    if value is None or not at:
        return sample
    other = value + at if type(value) is int else f"{value}-{at}"
    entry = copy.deepcopy(sample)
    _put(entry, path, other)
    return entry


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        document = document.setdefault(key, {})
    document[last] = value


def _query(request: Request) -> list[tuple[str, str]]:
    return parse_qsl(request.raw_query, keep_blank_values=True)


def _paging(facts: dict[str, Any]) -> set[str]:
    rules = facts["list"]
    return set() if rules is None else {rules["limit"], rules["position"]}


def _bodies(facts: dict[str, Any], request: Request) -> tuple[Any, Any]:
    """Return the body of a request and the described one, in the same form."""
    kind, wanted = facts["content_type"], facts["body"]
    if kind.endswith("json") and request.body:
        found = json.loads(request.body)
        if facts["list"] is not None and facts["list"].get("place") == "body":
            paging = _paging(facts)
            found = {name: found[name] for name in found if name not in paging}
        return found, wanted
    text = request.body.decode("utf-8", "replace")
    if kind == "application/x-www-form-urlencoded":
        return sorted(parse_qsl(text, keep_blank_values=True)), _sorted(wanted)
    if kind == "multipart/form-data":
        return sorted(_parts(request)), _sorted(wanted)
    return text or None, wanted


def _sorted(pairs: Any) -> list[tuple[str, str]]:
    return sorted((name, text) for name, text in pairs)


def _parts(request: Request) -> list[tuple[str, str]]:
    _, _, boundary = request.headers.get("content-type", "").partition("boundary=")
    found = []
    for part in request.body.split(f"--{boundary}".encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = head.split(b'name="', 1)[1].split(b'"', 1)[0].decode()
        found.append((name, content.removesuffix(b"\r\n").decode("utf-8", "replace")))
    return found


def _members(facts: dict[str, Any], request: Request) -> dict[str, Any]:
    if facts["content_type"].endswith("json"):
        try:
            found = json.loads(request.body or b"{}")
        except ValueError:
            raise refused(400, "invalid_body", "the body is not JSON") from None
        return found if isinstance(found, dict) else {}
    return {unquote(name): text for name, text in parse_qsl(request.body.decode())}
