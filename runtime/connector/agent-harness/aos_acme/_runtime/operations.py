"""The operations of a handler on the API: send a request, list, run for each value.

`query`, `body` say which inputs travel under which names: {"wire": "field"}.
Inputs that were not given are left out. A wire name with dots is nested:
{"fields.summary": "summary"} becomes {"fields": {"summary": …}}.
"""

# isort: skip_file
from __future__ import annotations

from .. import api as settings
from .errors import AuthError, BackendUnavailable, ConnectorError, InvalidUsage
from .redaction import quote
from .selection import Selection, missing

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Any
    from urllib.parse import SplitResult

    from .client import Client, Reply
    from .inputs import Inputs
    from .paging import Doubt

    Log = Callable[[str], None]
    # Inputs by the names that the API has for them.
    Names = dict[str, str]
    Words = dict[str, dict[str, Any]]

LIMIT = 30
# The input that holds the fields which the API shall send. No option has this name.
FIELDS = "--fields"
# The inputs that say which part of a list is wanted.
WINDOW = ("limit", "cursor")


class Api:
    """The API for the time of one command. Nothing is sent before it is used."""

    def __init__(
        self,
        log: Log | None = None,
        seconds: float | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.log = log
        self.selection = selection or Selection()
        # The mode of the run; `doctor` says what it allows.
        self.mode = ""
        self.doubts: builtins.list[Doubt] = []
        self._seconds = seconds
        self._client: Client | None = None

    def send(
        self,
        method: str,
        path: str,
        inputs: Inputs,
        *,
        query: Names | None = None,
        body: Names | None = None,
        constants: dict[str, Any] | None = None,
        shapes: dict[str, Any] | None = None,
        words: Words | None = None,
        text: bool = False,
        **form: Any,
    ) -> Any:
        """Send one request and return the data of the reply.

        `headers` are inputs by the headers that they fill, `styles` says how values of
        several parts are written, `typed` which texts of the body are numbers,
        `content_type` what the body is if not JSON. With `text` the reply is a text;
        a `public` request has no credentials.
        """
        from . import completeness, replies, urls

        constants = _fixed(constants, shapes, words, inputs)
        reply = self.reply(method, path, inputs, query, body, constants, **form)
        data = replies.text(reply) if text else replies.result(reply)
        if reply.is_empty:
            # The answer of a deletion: nothing. Say what it was about.
            data = {"done": True, **data, **urls.named(path, inputs)}
        is_read = method in ("GET", "HEAD")
        self.doubts += completeness.doubts(reply, path, is_read)
        return data

    def marked(self, data: Any) -> Any:
        """The data of a handler, with what its replies said about their completeness."""
        from . import completeness

        told = isinstance(data, dict) and "complete" not in data
        return {**data, **completeness.mark(self.doubts)} if told else data

    def list(
        self,
        method: str,
        path: str,
        inputs: Inputs,
        *,
        result: str,
        query: Names | None = None,
        body: Names | None = None,
        constants: dict[str, Any] | None = None,
        shapes: dict[str, Any] | None = None,
        words: Words | None = None,
        items: str = "",
        item_id: str = "id",
        item_name: str = "name",
        item_url: str = "",
        select: dict[str, str] | None = None,
        paging: dict[str, Any] | None = None,
        **form: Any,
    ) -> dict[str, Any]:
        """Fetch one page: {result: […], items: [{id, name}], next_cursor, …}.

        `select` is how the API takes the fields that it shall send: the query `name`,
        what they are `below`, the value for `all`. `item_url` makes an address from
        an entry: `https://host/task/{id}`.
        """
        from . import completeness, cursors, replies, sizes
        from . import paging as pages

        constants = _fixed(constants, shapes, words, inputs)
        rules = {**settings.PAGING, **(paging or {})}
        limit = inputs["limit"]
        size = pages.page_size(rules, LIMIT if limit is None else limit)
        client, call = self.client, _call(method, path, inputs)
        place = cursors.read(inputs["cursor"], call)
        place.size = place.size or size
        if place.link:
            # The address has the query, but not the headers.
            sent = _headers(inputs, form.get("headers"), form.get("styles"))
            public = form.get("public", False)
            reply = client.request(method, place.at, headers=sent, public=public)
        else:
            extra = pages.request_values(rules, place)
            if select:
                names = self._selected(select, (item_id, item_name), query, inputs)
                if names:
                    query = {**(query or {}), select["name"]: FIELDS}
                    inputs = inputs.with_value(FIELDS, names)
            in_body = rules["in"] == "body"
            reply = self.reply(
                method, path, inputs, query, body, constants, extra, in_body, **form
            )
        data = replies.result(reply)
        found = pages.dig(data, items)
        if reply.status == 204 and reply.is_empty:
            found = []
        if not isinstance(found, list):
            raise BackendUnavailable(
                "the response has no list",
                {"status": reply.status, "expected_list_at": items or "the top"},
            )
        rest = found[place.skip : place.skip + size]
        following = pages.next_place(rules, reply, found, place, client.base)
        ends = [following, place.rest(size)]
        reserved = max(len(cursors.write(end, call)) for end in ends if end)
        link = _on_site(item_url, client.base)
        chosen, absent = self.selection.entries(rest, result)
        pairs = [
            (shown, entry(item, item_id, item_name, link))
            for shown, item in zip(chosen, rest)
        ]
        pairs, cut = sizes.fitting(pairs, self.selection.limit, reserved)
        shown, slims = [item for item, _ in pairs], [slim for _, slim in pairs]
        doubts = completeness.doubts(reply, path)
        if place.skip + len(shown) < len(found):
            following = place.rest(len(shown))
        elif following is None:
            doubts += pages.doubts(rules, reply, found, place)
        entries = [slim for slim in slims if slim]
        if len(entries) < len(slims):
            text = f"{len(slims) - len(entries)} entries have no id at `{item_id}`"
            doubts.append(("entries_without_id", f"{text}, so a picker lacks them"))
        if result == "items":
            shown = [
                {**item, **slim} if isinstance(item, dict) and slim else slim or item
                for item, slim in zip(shown, slims)
            ]
        answer = {"items": entries, result: shown, "count": len(shown)}
        answer["next_cursor"] = cursors.write(following, call) if following else None
        answer["has_more"] = following is not None
        answer.update(cut, **missing(absent, rest[0] if rest else None))
        return {**answer, **completeness.mark(doubts)}

    def _selected(
        self,
        select: dict[str, str],
        named: tuple[str, str],
        query: Names | None,
        inputs: Inputs,
    ) -> builtins.list[str]:
        """The fields to ask for; none where the caller asked in the words of the API."""
        if (query or {}).get(select["name"]) in inputs:
            self.selection.show_all()
            return []
        wanted, below = self.selection.wanted, select.get("below", "")
        if not wanted:
            return [select["all"]] if "all" in select else []
        paths = [path for path in (*wanted, *named) if path.startswith(below)]
        if below:
            paths = [path[len(below) :].partition(".")[0] for path in paths]
        return list(dict.fromkeys(filter(None, paths)))

    def look_up(
        self, inputs: Inputs, into: str, source: str, path: str, **place: Any
    ) -> Inputs:
        """The inputs with `into`, which a list of the API finds by another input."""
        from . import entries, paging, replies

        option, wanted = inputs.option(into), inputs[source]
        if into in inputs or (wanted is None and place.get("optional")):
            return inputs
        if wanted is None:
            raise InvalidUsage(
                f"give `{option}` or `{inputs.option(source)}`",
                {"missing": [option, inputs.option(source)]},
            )
        data = replies.result(self.reply("GET", path, inputs))
        members = place["by"]
        named = inputs.option(source) if members else option
        entry = entries.find(data, place["at"], members, wanted, named)
        return inputs.with_value(into, paging.dig(entry, place["value"]))

    def pick(
        self, reply: Any, inputs: Inputs, field: str, at: str, by: builtins.list[str]
    ) -> Any:
        """The entry of a list in the reply that an input names."""
        from . import entries

        return entries.find(reply, at, by, inputs[field], inputs.option(field))

    def each(
        self, inputs: Inputs, field: str, run: Callable[[Inputs], Any]
    ) -> dict[str, Any]:
        """Run a function once for each value of a list field.

        A value that fails does not stop the others, except when the failure
        would meet them all: no access, no backend. If nothing succeeded at all
        the first failure is the failure of the command. Values that look the
        same in a request are one: "1" and 1, but not 1.0.
        """
        targets = _targets(inputs, field)
        if len(targets) > settings.BULK_TARGETS:
            raise InvalidUsage(
                f"at most {settings.BULK_TARGETS} values at once",
                {"given": len(targets)},
            )
        self.selection.spare()
        items, first, stopped = [], None, None
        for target in targets:
            item = {"target": target, "ok": stopped is None}
            if stopped is None:
                try:
                    run(inputs.with_item(target, field))
                except ConnectorError as error:
                    first = first or error
                    item.update(ok=False, error=_brief(error))
                    if _meets_all(error):
                        stopped = error
            else:
                item["error"] = {"code": stopped.code, "message": "not attempted"}
            items.append(item)
        done = sum(item["ok"] for item in items)
        if first is not None and not done:
            first.details["items"] = [
                {**item, "target": quote(item["target"])} for item in items
            ]
            raise first
        return {"items": items, "succeeded": done, "failed": len(items) - done}

    def reply(
        self,
        method: str,
        path: str,
        inputs: Inputs,
        query: Names | None = None,
        body: Names | None = None,
        constants: dict[str, Any] | None = None,
        extra: dict[str, Any] | None = None,
        extra_in_body: bool = False,
        *,
        headers: Names | None = None,
        styles: dict[str, str] | None = None,
        typed: builtins.list[str] | None = None,
        content_type: str = "",
        public: bool = False,
    ) -> Reply:
        """Send one request and return the bare reply, whatever its status."""
        from . import urls

        in_query = inputs.pick(query or {})
        in_body = inputs.pick(body or {})
        fixed = in_query if method in ("GET", "HEAD") else in_body
        fixed.update(constants or {})
        (in_body if extra_in_body else in_query).update(extra or {})
        sends_body = body is not None or bool(in_body)
        if not (headers or styles or typed or content_type or public):
            return self.client.request(
                method,
                urls.fill(path, inputs),
                in_query,
                nest(in_body) if sends_body else None,
            )
        from . import serial

        styles = styles or {}
        options = {wire: inputs.option(field) for wire, field in (body or {}).items()}
        for name in typed or ():
            if name in in_body:
                in_body[name] = serial.typed(options.get(name, name), in_body[name])
        target = urls.fill(path, inputs, serial.path_texts(inputs, styles))
        written = serial.query_string(in_query, styles)
        if written:
            target += ("&" if "?" in target else "?") + written
        sent = _headers(inputs, headers, styles)
        payload: Any = None
        if (
            sends_body
            and in_body
            and content_type
            and not content_type.endswith("json")
        ):
            fields = (body or {}).items()
            files = {wire for wire, field in fields if field in settings.BINARY}
            payload, content_type = serial.body(in_body, content_type, styles, files)
        elif sends_body:
            payload = nest(in_body)
        if content_type and payload is not None:
            sent["Content-Type"] = content_type
        return self.client.request(
            method, target, None, payload, headers=sent, public=public
        )

    @property
    def client(self) -> Client:
        """The HTTP client; making it checks the keys and the base URL."""
        if self._client is None:
            from . import config
            from .client import Client

            config.require_keys()
            seconds = self._seconds or settings.CALL_SECONDS
            self._client = Client(seconds, self.log)
        return self._client


def _headers(
    inputs: Inputs, headers: Names | None, styles: dict[str, str] | None
) -> dict[str, str]:
    """The headers that inputs fill."""
    if not headers:
        return {}
    from . import serial

    return {
        wire: serial.header_text(
            inputs.option(field), inputs[field], (styles or {}).get(wire, "")
        )
        for wire, field in headers.items()
        if field in inputs
    }


def _fixed(
    constants: dict[str, Any] | None,
    shapes: dict[str, Any] | None,
    words: Words | None,
    inputs: Inputs,
) -> dict[str, Any] | None:
    """The constants of a request, and the shapes with its inputs filled in."""
    if not shapes:
        return constants
    from .shapes import fill

    return {**(constants or {}), **fill(shapes, words or {}, inputs)}


def entry(
    item: Any, item_id: str, item_name: str, item_url: str = ""
) -> dict[str, Any] | None:
    """The short form of an item: what a picker shows. None for one without an id."""
    from .paging import dig

    if not isinstance(item, dict):
        text = _short(item)
        return {"id": text, "name": text} if text else None
    found = _short(dig(item, item_id))
    if not found:
        return None
    slim = {"id": found, "name": _short(dig(item, item_name)) or found}
    for key in ("html_url", "web_url", "permalink", "permalink_url", "url"):
        if isinstance(item.get(key), str):
            return {**slim, "url": item[key]}
    return {**slim, "url": _filled(item_url, item)} if item_url else slim


def _on_site(item_url: str, base: SplitResult) -> str:
    """The address with the site in it, or "" where the base URL is that of a gateway."""
    if "{base_url}" in item_url and base.path:
        return ""
    return item_url.replace("{base_url}", f"{base.scheme}://{base.netloc}")


def _filled(template: str, item: Any) -> str:
    """An address with `{path}` replaced by what the entry has there."""
    from urllib.parse import quote as percent

    from .paging import dig

    url, *parts = template.split("{")
    for part in parts:
        path, _, rest = part.partition("}")
        url += percent(_short(dig(item, path)), safe="") + rest
    return url


def _short(value: Any) -> str:
    """A text or a number as a text; "" for anything else."""
    is_short = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return str(value) if is_short else ""


def nest(flat: dict[str, Any]) -> Any:
    """Turn dotted names into nested objects; the value of the name "" is the whole."""
    if "" in flat:
        return flat[""]
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = name.split(".")
        place = tree
        for parent in parents:
            below = place.get(parent)
            place[parent] = dict(below) if isinstance(below, dict) else {}
            place = place[parent]
        place[last] = value
    return tree


def _call(method: str, path: str, inputs: Inputs) -> builtins.list[Any]:
    """Return the identity of a list: a cursor is valid for this list only."""
    given = {field: inputs[field] for field in inputs if field not in WINDOW}
    return [method, path, given]


def _targets(inputs: Inputs, field: str) -> builtins.list[Any]:
    """The different values of a list field, as texts and numbers."""
    from .urls import wire_text

    targets: dict[str, Any] = {}
    for target in inputs[field] or []:
        if isinstance(target, bool) or not isinstance(target, (str, int, float)):
            raise InvalidUsage(
                f"`{inputs.option(field)}` accepts only texts and numbers",
                {"value": quote(wire_text(target))},
            )
        targets.setdefault(wire_text(target), target)
    return list(targets.values())


def _meets_all(error: ConnectorError) -> bool:
    """Whether the next value would fail in the same way."""
    if isinstance(error, AuthError):
        return error.details.get("reason") != "permission"
    return isinstance(error, BackendUnavailable)


def _brief(error: ConnectorError) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "details": dict(error.details),
    }
