"""Keeps secrets out of everything that leaves the process.

Two rules, for two kinds of text, and neither looks at upper and lower case:

- `scrub` is for data of successful calls and for text of our own. In every
  string and every key of it these are replaced, and the rest is left alone:
  - a whole secret, plain or encoded, forwards or backwards. A short one (below
    8 characters) only forwards and where it stands as a word, so that a key
    that happens to be `test` does not turn `latest` into noise;
  - any run of 8 or more characters of a secret of 12 or more, forwards or
    backwards. A run has to be within one string and is not looked for in
    encoded forms;
  - a string that is a masked secret and nothing else: four or more characters
    of its beginning or end, or both, and at least one of `* . x • …`.
  A shorter part of a secret that stands among other text stays.
- `quote` is for foreign text inside errors and logs: what the backend said,
  what the caller typed. Any run of four characters of a secret, plain, encoded
  or backwards, drops it whole.

Both know the values of the service keys. The user name and the base URL are
public in data, and kept out of errors and logs.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from . import config

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    # Where a text begins and ends in another.
    Span = tuple[int, int]

MARK = "[redacted]"
RUN = 4
SHORT = 8
LONG = 12
MASKS = "*.x•…"
QUOTE_LENGTH = 300
# Fillers, joiners and selectors count as printable and can hide a whole message;
# U+FE0E and U+FE0F follow many ordinary symbols.
HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0"
    "\U000e0100-\U000e01ef]"
)


def scrub(value: Any) -> Any:
    """JSON data, or text, without the secrets of this connector."""
    secrets = tuple(config.data_secrets())
    if not secrets:
        return value
    texts = list(set(_texts(value)))
    finder = _finder(secrets)
    # All texts are searched at once, joined by a mark that none of them contains.
    joined = "".join(texts)
    used = {*joined, *"".join(secrets)}
    signs = (c for c in map(chr, range(sys.maxunicode)) if c == fold(c))
    mark = next(c for c in signs if c not in used and not c.isalnum())
    joined = mark.join(texts)
    clear = joined
    for find in (finder.wholes, finder.runs):
        clear = _without(clear, find(fold(clear)))
    clear = _without(clear, finder.masked(fold(clear), mark))
    if clear == joined:
        return value
    return _walk(value, dict(zip(texts, clear.split(mark))))


def quote(text: Any) -> str:
    """Foreign text made fit for an error: one line, short, free of secrets."""
    text = str(text)[: 4 * QUOTE_LENGTH]
    plain = clean(text)
    return MARK if reveals(text) or reveals(plain) else plain[:QUOTE_LENGTH]


def reveals(text: str) -> bool:
    """Whether the text holds a run of four characters of any secret."""
    lowered = text.lower()
    return any(run in lowered for run in _runs(tuple(config.all_secrets())))


def fold(text: str) -> str:
    """The text in lower case, of the same length."""
    return text.replace("\u0130", "i").lower()


def clean(text: str) -> str:
    """Text on one line, without control characters or odd whitespace."""
    shown = (c if _is_visible(c) else " " for c in text)
    return " ".join("".join(shown).split())


def _is_visible(symbol: str) -> bool:
    """Whether a symbol shows something of its own."""
    return symbol.isprintable() and not HIDDEN.match(symbol)


@lru_cache(maxsize=8)
def _forms(secrets: tuple[str, ...]) -> set[str]:
    """Every secret and the ways it may be written."""
    forms = set(secrets)
    for secret in secrets:
        forms.update(_encoded(secret) if len(secret) >= RUN else ())
    return forms - {""}


@lru_cache(maxsize=8)
def _runs(secrets: tuple[str, ...]) -> set[str]:
    """The short runs that give a secret away, in lower case."""
    secrets = tuple(secret for secret in secrets if len(secret) >= RUN)
    forms = [*_forms(secrets), *(secret[::-1] for secret in secrets)]
    return {run for form in forms for run in _pieces(form.lower(), RUN)}


def _pieces(text: str, length: int) -> set[str]:
    """Every run of this many characters."""
    return {text[at : at + length] for at in range(len(text) - length + 1)}


def _encoded(secret: str) -> Iterator[str]:
    """The spellings of a secret in URLs, JSON, markup, hex and base64."""
    import base64
    import html
    import json
    from urllib.parse import quote as percent
    from urllib.parse import quote_plus

    raw = secret.encode("utf-8", "surrogateescape")
    yield percent(raw, safe="")
    yield percent(raw)
    yield quote_plus(raw)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield html.escape(secret)
    yield repr(secret)[1:-1]
    yield raw.hex()
    yield raw.hex().upper()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(raw).decode("ascii")
        yield encoded
        yield encoded.rstrip("=")
    # Base64 of a longer text shows the secret in one of three alignments; the
    # characters that also depend on the neighbours are cut off.
    for shift in range(3):
        body = base64.b64encode(b"\0" * shift + raw).decode("ascii").rstrip("=")
        body = body[-(-shift * 8 // 6) :]
        if (shift + len(raw)) % 3:
            body = body[:-1]
        if len(body) >= RUN:
            yield body
            yield body.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=8)
def _finder(secrets: tuple[str, ...]) -> Finder:
    return Finder(secrets)


class Finder:
    """Finds secrets and parts of them in text that was folded."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        forms = {fold(form) for form in _forms(secrets)}
        self._words = {form for form in forms if len(form) < SHORT}
        forms -= self._words
        self._forms = forms | {form[::-1] for form in forms}
        folded = {fold(secret) for secret in secrets}
        self._runs: set[str] = set()
        for secret in folded:
            if len(secret) >= LONG:
                self._runs |= _pieces(secret, SHORT) | _pieces(secret[::-1], SHORT)
        # A run of 8 characters holds a block of 4 that starts at a multiple of 4.
        self._blocks = {block for run in self._runs for block in _pieces(run, RUN)}
        parted = [secret for secret in folded if len(secret) > RUN]
        self._ends = {s[:RUN] for s in parted} | {s[-RUN:] for s in parted}
        parts = {
            part
            for s in parted
            for length in range(RUN, min(len(s), LONG))
            for part in (s[:length], s[-length:])
            if part.strip(MASKS)
        }
        longest_first = sorted(parts, key=len, reverse=True)
        self._parts = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

    def wholes(self, text: str) -> list[Span]:
        """Where whole secrets are: [(start, end), ...] in order."""
        found: list[Span] = []
        for form in self._forms:
            found += _places(form, text)
        for word in self._words:
            found += [place for place in _places(word, text) if _is_word(place, text)]
        return _merged(found)

    def runs(self, text: str) -> list[Span]:
        """Where long runs of a secret are, each as far as it goes."""
        blocks, runs, spans, done = self._blocks, self._runs, [], 0
        starts = range(0, len(text), RUN) if blocks else ()
        for block in [at for at in starts if text[at : at + RUN] in blocks]:
            first = max(0, block - RUN, done - SHORT + 1)
            for start in range(first, block + 1):
                if text[start : start + SHORT] in runs:
                    done = start + SHORT
                    while text[done + 1 - SHORT : done + 1] in runs:
                        done += 1
                    spans.append((start, done))
                    break
        return _merged(spans)

    def masked(self, text: str, mark: str) -> list[Span]:
        """Where the texts are that are a masked secret and nothing else."""
        ends = [end for end in self._ends if end in text]
        spans, start = [], 0
        for piece in text.split(mark) if ends else ():
            if any(end in piece for end in ends) and self._is_masked(piece):
                spans.append((start, start + len(piece)))
            start += len(piece) + 1
        return spans

    def _is_masked(self, text: str) -> bool:
        rest = self._parts.sub("", text)
        return rest not in ("", text) and not rest.strip(MASKS)


def _places(part: str, text: str) -> Iterator[Span]:
    at = text.find(part)
    while at >= 0:
        yield at, at + len(part)
        at = text.find(part, at + len(part))


def _is_word(place: Span, text: str) -> bool:
    start, end = place
    before = text[max(0, start - 1) : start]
    return not before.isalnum() and not text[end : end + 1].isalnum()


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap or touch become one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with a mark in the place of every span."""
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], MARK]
        done = end
    return "".join([*pieces, text[done:]])


def _texts(value: Any) -> Iterator[str]:
    """Every string and every key of some JSON data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):
                yield key
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _walk(value: Any, clear: dict[str, str]) -> Any:
    if isinstance(value, str):
        return clear[value]
    if isinstance(value, dict):
        return {
            clear[key] if isinstance(key, str) else key: _walk(item, clear)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_walk(item, clear) for item in value]
    return value


class ScrubbedStream:
    """Stands in for stdout and stderr while a handler runs.

    Whatever a handler or a library prints goes to stderr, so that stdout stays
    one document; lines that show a part of a secret are dropped.
    """

    def __init__(self) -> None:
        self._pending = ""

    def write(self, text: Any) -> int:
        *lines, self._pending = (self._pending + str(text)).split("\n")
        for line in lines:
            note(MARK if reveals(line) else line)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        if self._pending:
            self.write("\n")


# A workflow runner executes this anywhere in a line: two hashes, a word, a bracket.
RUNNER_MARK = re.compile(r"(#{2}[a-z]*)\[")


def visible(line: str) -> str:
    """A line of which nothing steers a terminal or is carried out by a workflow runner."""
    line = "".join(
        symbol if symbol == "\t" or _is_visible(symbol) else f"\\u{ord(symbol):04x}"
        for symbol in line
    )
    line = RUNNER_MARK.sub(r"\1\\u005b", line)
    if line.lstrip().startswith("::"):
        line = line.replace("::", "\\u003a:", 1)
    return line


def note(line: str) -> None:
    """Write one line to stderr, whatever state stderr is in."""
    try:
        stderr: Any = sys.__stderr__  # None in a process without one
        stderr.write(visible(line) + "\n")
        stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
