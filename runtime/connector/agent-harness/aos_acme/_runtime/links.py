"""Reads Link headers: `<https://host/items?page=2>; rel="next"`."""

from __future__ import annotations

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def target(text: str, relation: str) -> str:
    """The first link of this relation, or ""; ValueError when the header is broken."""
    for url, parameters in _parse(text):
        relations = next((v for name, v in parameters if name == "rel"), "")
        if relation in relations.lower().split():
            if not url:
                raise ValueError("a link without a target")
            return url
    return ""


def _parse(text: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    at = 0
    while True:
        while at < len(text) and text[at] in " \t,":
            at += 1
        if at == len(text):
            return
        end = text.find(">", at)
        if text[at] != "<" or end < 0:
            raise ValueError("not a link")
        url = text[at + 1 : end].strip()
        parts, at = _parts(text, end + 1)
        yield url, [_parameter(part) for part in parts]


def _parts(text: str, at: int) -> tuple[list[str], int]:
    """The parameters of one link, as they stand, and where the next link begins."""
    parts: list[str] = []
    part: list[str] = []
    quoted = False
    while at < len(text):
        sign = text[at]
        if quoted and sign == "\\":
            at += 1
            sign = text[at : at + 1]
        elif sign == '"':
            quoted = not quoted
        elif not quoted and sign in ";,":
            parts.append("".join(part))
            part = []
            if sign == ",":
                return parts, at + 1
            at += 1
            continue
        part.append(sign)
        at += 1
    if quoted:
        raise ValueError("a quote without an end")
    return [*parts, "".join(part)], at


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"')
