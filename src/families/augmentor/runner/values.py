"""The values that a package and its host exchange: JSON, errors, text."""

import re
import traceback

JSON_DEPTH = 64
MESSAGE_CHARS = 4096
TRACE_CHARS = 16384
LARGEST_INTEGER = 2**53 - 1
ERROR_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


class NotJson(Exception):
    """A value has no exact form in JSON."""


class BadChunk(Exception):
    """A chunk is not what the ABI allows; it has the members of an AugmentorError."""

    def __init__(self, message):
        super().__init__(message)
        self.code, self.message = "invalid_result", message
        self.data = {"reason": "chunk"}


def visible(text, limit=MESSAGE_CHARS):
    """Text that JSON can carry, cut to its limit."""
    return str(text).encode("utf-8", "backslashreplace").decode()[:limit]


def plain(value, warnings, path="", depth=0):
    """A copy of `value` that has the plain types of JSON only.

    Raises NotJson with the place of the first value that JSON cannot carry.
    """
    place = path or "/"
    if depth > JSON_DEPTH:
        raise NotJson(f"{place[:200]}: nested more than {JSON_DEPTH} deep, or a cycle")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise NotJson(f"{place}: a lone surrogate is not text") from None
        return str.__str__(value)
    if isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            warnings.append(f"{place}: an integer beyond 2^53 loses digits elsewhere")
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotJson(f"{place}: {value} is not a number of JSON")
        return float(value)
    if isinstance(value, (list, tuple)):
        if isinstance(value, tuple):
            warnings.append(f"{place}: a tuple becomes a list")
        return [plain(v, warnings, f"{path}/{i}", depth + 1) for i, v in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: plain(item, warnings, f"{path}/{escaped(key)}", depth + 1)
            for key, item in named(value, warnings, place)
        }
    raise NotJson(f"{place}: {type(value).__name__} is not a type of JSON")


def named(mapping, warnings, place):
    """The entries of a mapping with keys that JSON can carry, each at most once."""
    seen = set()
    for key, item in mapping.items():
        if isinstance(key, int) and not isinstance(key, bool):
            warnings.append(f"{place}: the key {key} becomes a string")
            key = str(key)
        if not isinstance(key, str):
            kind = type(key).__name__
            raise NotJson(f"{place}: a key of type {kind} is not a string")
        key = plain(key, warnings, f"{place} (a key)")
        if key in seen:
            raise NotJson(f"{place}: the key `{key}` is there twice")
        seen.add(key)
        yield key, item


def escaped(key):
    """A key as part of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def trace_of(error):
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return visible("".join(lines)[-TRACE_CHARS:], TRACE_CHARS)


def text_of(error):
    """The message of an exception whose `__str__` may fail."""
    try:
        return visible(str(error) or type(error).__name__)
    except Exception:
        return type(error).__name__


def augmentor_error(error):
    """`(code, message, data)` of an AugmentorError, which is known by its members."""
    missing = object()
    try:
        found = [getattr(error, key, missing) for key in ("code", "message", "data")]
    except Exception:
        return None
    code, message, data = found
    if not isinstance(code, str) or not isinstance(message, str):
        return None
    if not ERROR_CODE.fullmatch(code) or not (data is None or isinstance(data, dict)):
        return None
    return code, message, data


def failure(error):
    """An exception as members of a message; the trace is apart from the error itself."""
    members = augmentor_error(error)
    if members is None:
        data = {"type": visible(type(error).__name__)}
        answer = {"code": "internal_error", "message": text_of(error), "data": data}
        return {"origin": "exception", "error": answer, "trace": trace_of(error)}
    code, message, data = members
    warnings = []
    try:
        data = plain(data, warnings)
    except NotJson as fault:
        data = None
        warnings.append(f"data of the error is dropped: {fault}")
    answer = {"code": code, "message": visible(message), "data": data}
    return {"origin": "package", "error": answer, "warnings": shown(warnings)}


def refusal(code, message, data=None):
    """An error that the host reports, not the package."""
    answer = {"code": code, "message": visible(message), "data": data}
    return {"origin": "host", "error": answer}


def shown(warnings):
    """At most the first twenty warnings."""
    return [visible(warning, 400) for warning in warnings[:20]]
