"""Keeps secrets out of everything that leaves the process.

Two rules, for two kinds of text:

- `scrub` is for data of successful calls and for text of our own. It replaces
  every whole secret, plain or encoded, and leaves the rest alone. A short
  secret is replaced only where it stands as a word, so that a key that happens
  to be `test` does not turn `latest` into noise.
- `quote` is for foreign text inside errors and logs: what the backend said,
  what the caller typed. Any run of four characters of a secret drops it whole.
"""

import re
import sys
from functools import lru_cache

from . import config

MARK = "[redacted]"
RUN = 4
SHORT = 8
QUOTE_LENGTH = 300


def scrub(value):
    """A copy of JSON data, or text, without the secrets of this connector."""
    forms = secret_forms(config.data_secrets())
    return _walk(value, _replacer(forms)) if forms else value


def quote(text):
    """Foreign text made fit for an error: one line, short, free of secrets."""
    text = str(text)[: 4 * QUOTE_LENGTH]
    plain = clean(text)
    return MARK if reveals(text) or reveals(plain) else plain[:QUOTE_LENGTH]


def reveals(text):
    """Whether the text holds a run of four characters of any secret."""
    lowered = text.lower()
    return any(run in lowered for run in _runs(tuple(config.all_secrets())))


def clean(text):
    """Text on one line, without control characters or odd whitespace."""
    shown = (c if c.isprintable() else " " for c in text)
    return " ".join("".join(shown).split())


def secret_forms(secrets):
    """Every secret and the ways it may be written, longest first."""
    return _forms(tuple(secrets))


@lru_cache(maxsize=8)
def _forms(secrets):
    forms = set(secrets)
    for secret in secrets:
        forms.update(_encoded(secret) if len(secret) >= RUN else ())
    return sorted(filter(None, forms), key=lambda form: (-len(form), form))


@lru_cache(maxsize=8)
def _runs(secrets):
    """The short runs that give a secret away, in lower case."""
    forms = _forms(tuple(secret for secret in secrets if len(secret) >= RUN))
    return {
        form[at : at + RUN].lower()
        for form in forms
        for at in range(len(form) - RUN + 1)
    }


def _encoded(secret):
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
    yield base64.b64encode(raw).decode("ascii")
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


def _replacer(forms):
    long = "|".join(re.escape(form) for form in forms if len(form) >= SHORT)
    short = "|".join(re.escape(form) for form in forms if len(form) < SHORT)
    parts = [long] if long else []
    if short:
        parts.append(rf"(?<![^\W_])(?:{short})(?![^\W_])")
    pattern = re.compile("|".join(parts))
    return lambda text: pattern.sub(MARK, text)


def _walk(value, replace):
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, dict):
        return {
            replace(key) if isinstance(key, str) else key: _walk(item, replace)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_walk(item, replace) for item in value]
    return value


class ScrubbedStream:
    """Stands in for stdout and stderr while a handler runs.

    Whatever a handler or a library prints goes to stderr, so that stdout stays
    one document; lines that show a part of a secret are dropped.
    """

    def __init__(self):
        self._pending = ""

    def write(self, text):
        *lines, self._pending = (self._pending + str(text)).split("\n")
        for line in lines:
            note(MARK if reveals(line) else line)
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def close(self):
        if self._pending:
            self.write("\n")


def note(line):
    """Write one line to stderr, whatever state stderr is in."""
    try:
        sys.__stderr__.write(line + "\n")
        sys.__stderr__.flush()
    except (OSError, ValueError, AttributeError):
        pass
