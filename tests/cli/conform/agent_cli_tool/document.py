"""JSON, as the module `json` reads and writes it.

That module takes as long to load as the rest of the tool, so this one stands on what it stands on.
"""

from _json import encode_basestring_ascii, make_scanner

BLANK = " \t\n\r"


class Reading:
    """How documents are read."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}


scan = make_scanner(Reading)


def loads(text):
    """Read a document."""
    text = text.decode() if isinstance(text, bytes) else text
    start = len(text) - len(text.lstrip(BLANK))
    try:
        value, end = scan(text, start)
    except (StopIteration, SystemError) as error:
        # Without the module `json`, its error cannot be raised.
        raise ValueError("no JSON") from error
    if text[end:].strip(BLANK):
        raise ValueError("more than one document")
    return value


def dumps(value, *, is_wide=False, is_compact=False, is_sorted=False, margin="\n"):
    """Write a document: on one line, or on lines with two spaces for each level."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return repr(value)
    inner = margin + "  "
    how = {"is_wide": is_wide, "is_compact": is_compact, "is_sorted": is_sorted, "margin": inner}
    if isinstance(value, dict):
        colon = ":" if is_compact else ": "
        members = sorted(value.items()) if is_sorted else value.items()
        parts = [encode_basestring_ascii(name) + colon + dumps(each, **how) for name, each in members]
        opening, closing = "{}"
    else:
        parts = [dumps(each, **how) for each in value]
        opening, closing = "[]"
    if not parts or not is_wide:
        return opening + ("," if is_compact else ", ").join(parts) + closing
    return opening + inner + ("," + inner).join(parts) + margin + closing
