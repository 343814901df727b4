"""Chooses what an answer shows: `--fields`, `--max-bytes`, and the defaults of lists.

A path such as `user.login` goes through lists by itself, and `*` is any name. It is looked for in the
entries of a list, or in the object that a command returns, and then in `data`.
Nothing is dropped in silence: a path that leads nowhere is named in the answer.
"""

from __future__ import annotations

from .. import api
from .errors import InvalidUsage
from .redaction import quote

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVERYTHING = "all"
PATHS = 100
LENGTH = 300
SMALLEST = 2_000
# The bytes that the host reads, with room for the envelope.
LARGEST = 900_000
# Members that name paths.
NOTES = ("fields_absent", "fields_known")
ABSENT: Any = object()


class Selection:
    """The members of an answer that the caller wants, and its maximum size."""

    def __init__(
        self,
        paths: list[str] | None = None,
        defaults: list[str] | None = None,
        limit: int = 0,
    ) -> None:
        self.paths = paths
        self.limit = limit or api.RESULT_BYTES
        # Whether the caller named the limit.
        self.is_limited = bool(limit)
        self.is_done = False
        self._defaults = defaults or []

    @property
    def wanted(self) -> list[str]:
        """The paths that an entry of a list shows; none is everything."""
        paths = self._defaults if self.paths is None else self.paths
        return [] if EVERYTHING in paths else paths

    def entries(self, items: list[Any], result: str) -> tuple[list[Any], list[str]]:
        """The entries of a list as they are shown, and the paths that none of them has."""
        self.is_done = True
        paths = [path.removeprefix(f"{result}.") or path for path in self.wanted]
        if not paths:
            return items, []
        absent = dict.fromkeys(paths) if self.paths is not None else {}
        shown = []
        for item in items:
            chosen: Any = {}
            for path in paths:
                part = _part(item, path)
                if part is not ABSENT:
                    absent.pop(path, None)
                    chosen = _merged(chosen, part)
            shown.append(chosen if isinstance(item, dict) else item)
        return shown, list(absent) if items else []

    def apply(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data of a command that is no list."""
        if self.is_done or not self.paths or EVERYTHING in self.paths:
            return data
        chosen: dict[str, Any] = {}
        absent = []
        for path in self.paths:
            part = _within(data, path)
            if part is ABSENT:
                absent.append(path)
            else:
                chosen = _merged(chosen, part)
        return {**chosen, **missing(absent, data)}

    def for_people(self, data: dict[str, Any]) -> dict[str, Any]:
        """A list as a table of the fields that were asked for, in place of its short form."""
        if not self.is_done or self.paths is None or "items" not in data:
            return data
        lists = [key for key, value in data.items() if isinstance(value, list)]
        lists = [key for key in lists if key not in ("items", *NOTES)]
        shown = {key: data[key] for key in data if key != "items" or not lists}
        return {**shown, **{key: [_flat(row) for row in data[key]] for key in lists}}

    def show_all(self) -> None:
        """Show whole entries, unless the caller said otherwise."""
        self._defaults = []

    def spare(self) -> None:
        """Keep all of an answer that cannot be had again."""
        if not self.is_limited:
            self.limit = LARGEST


def selection(command: str, texts: dict[str, str]) -> Selection:
    """Read `--fields` and `--max-bytes`: a field list and a number, as texts."""
    fields, limit = texts.get("fields", ""), texts.get("max_bytes", "")
    paths = _paths(fields) if fields.strip() else None
    return Selection(paths, api.SLIM.get(command), _limit(limit) if limit else 0)


def missing(absent: list[str], example: Any) -> dict[str, Any]:
    """The note on paths that lead nowhere, with the names that there are."""
    if not absent:
        return {}
    note: dict[str, Any] = {"fields_absent": [quote(path) for path in absent]}
    if isinstance(example, dict):
        note["fields_known"] = list(example)[:PATHS]
    return note


def _paths(text: str) -> list[str]:
    from .inputs import listed

    paths = [str(path).strip(". ") for path in listed("--fields", text)]
    if not paths or len(paths) > PATHS or not all(0 < len(p) <= LENGTH for p in paths):
        raise InvalidUsage(
            f"`--fields` takes 1 to {PATHS} paths such as `title,user.login`",
            {"value": quote(text)},
            hint=f"`--fields {EVERYTHING}` shows everything",
        )
    return list(dict.fromkeys(paths))


def _limit(text: str) -> int:
    # The range refuses what is too long before it is read as a number.
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not SMALLEST <= number <= LARGEST:
        raise InvalidUsage(
            f"`--max-bytes` must be a whole number from {SMALLEST} to {LARGEST}",
            {"value": quote(text)},
        )
    return number


def _within(data: dict[str, Any], path: str) -> Any:
    """The part at a path inside the one object of an answer, or in the answer itself."""
    for name, value in data.items():
        if isinstance(value, (dict, list)):
            part = _part(value, path)
            if part is not ABSENT:
                return {name: part}
    return _part(data, path)


def _part(value: Any, path: str) -> Any:
    """Return a value's part at a path, inside the objects and lists on that path."""
    if not path:
        return value
    if value is None:
        return None
    if isinstance(value, list):
        parts = [_part(entry, path) for entry in value]
        if value and all(part is ABSENT for part in parts):
            return ABSENT
        return [{} if part is ABSENT else part for part in parts]
    if not isinstance(value, dict):
        return ABSENT
    if path in value:
        return {path: value[path]}
    if path.startswith("*."):
        matches = {name: _part(below, path[2:]) for name, below in value.items()}
        return {k: part for k, part in matches.items() if not _is_bare(part)} or ABSENT
    # A name may have dots of its own.
    at = path.find(".")
    while at > 0:
        name = path[:at]
        if name in value:
            part = _part(value[name], path[at + 1 :])
            if part is not ABSENT:
                return {name: part}
        at = path.find(".", at + 1)
    return ABSENT


def _flat(value: Any, name: str = "") -> Any:
    """The members of an object under dotted names."""
    if not isinstance(value, dict):
        return {name: value} if name else value
    flat: dict[str, Any] = {}
    for key, below in value.items():
        flat.update(_flat(below, f"{name}.{key}" if name else key))
    return flat


def _is_bare(part: Any) -> bool:
    """Whether a part has nothing at its path; null above a path is no match of `*`."""
    return part is ABSENT or part is None


def _merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        merged = dict(one)
        for name, value in other.items():
            merged[name] = _merged(merged[name], value) if name in merged else value
        return merged
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_merged(*pair) for pair in zip(one, other)]
    return other
