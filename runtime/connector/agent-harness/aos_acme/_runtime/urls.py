"""Builds the URLs of requests, and refuses the ones that must not be called."""

from __future__ import annotations

from urllib.parse import quote as percent
from urllib.parse import unquote, urljoin, urlsplit

from . import config
from .errors import AuthError, InvalidUsage
from .redaction import quote

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from urllib.parse import SplitResult

    from .inputs import Inputs

LOOPBACK = ("localhost", "::1")
PORTS = {"https": 443, "http": 80}


def base() -> SplitResult:
    """The checked base URL, split into its parts."""
    text, source = config.base_url()
    if not text:
        raise AuthError(
            "the address of the API is not set",
            {"reason": "base_url_missing", "key": source},
            hint=f"set {source} to it, or set BASE_URL in api.py for everybody",
        )
    problem = _problem(text)
    if problem:
        raise AuthError(
            f"the base URL from {source} {problem}",
            {"key": source},
            hint="set it to the https address of the API; http is for loopback only",
        )
    return urlsplit(text.rstrip("/"))


def _problem(text: str) -> str:
    """Why a base URL is refused, or "". It never repeats the URL."""
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return "contains characters that a URL cannot have"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if parts.scheme not in ("https", "http") or not host:
        return "is not an http URL with a host"
    if "@" in parts.netloc:
        return "contains a user name or a password"
    if "?" in text or "#" in text:
        return "contains a query or a fragment"
    if parts.scheme == "http" and not is_loopback(host):
        return "must use https"
    return ""


def is_loopback(host: str) -> bool:
    numbers = host.split(".")
    return host in LOOPBACK or (
        len(numbers) == 4
        and numbers[0] == "127"
        and all(n.isdigit() and len(n) <= 3 and int(n) <= 255 for n in numbers)
    )


def origin(url: SplitResult) -> tuple[str, str | None, int | None, bool]:
    """Return the origin, which must stay the same for credentials to be sent again."""
    port = url.port or PORTS.get(url.scheme)
    return url.scheme, url.hostname, port, "@" in url.netloc


def page_path(base: SplitResult, target: str, link: str) -> str:
    """The path below the base URL that a link of a reply leads to.

    `target` is what the reply was asked for. A link that cannot be followed is
    a ValueError; one that leaves the API is a setting that is wrong.
    """
    if not link.isascii() or not link.isprintable() or " " in link or "\\" in link:
        raise ValueError("the link contains characters that a URL cannot have")
    there = urlsplit(urljoin(f"{base.scheme}://{base.netloc}{target}", link))
    below = there.path.startswith(base.path + "/")
    if origin(there) != origin(base) or not below:
        raise AuthError(
            "refused a link to the next page that leaves the base URL",
            {"reason": "other_host", "link": quote(link.partition("?")[0])},
            hint="set the base URL to the address that the API uses in its links",
        )
    if any(unquote(segment) in (".", "..") for segment in there.path.split("/")):
        raise ValueError("the link has a part that is `.` or `..`")
    return there.path[len(base.path) :] + ("?" + there.query if there.query else "")


def fill(template: str, inputs: Inputs, written: dict[str, str] | None = None) -> str:
    """Put inputs into a path such as /repos/{owner}/{repo}.

    A value is one path segment: its slashes are encoded. Write {+field} for a
    value that is itself a path and keeps its slashes. `written` has values that are
    encoded already.
    """
    path = ""
    rest = template
    while "{" in rest:
        before, _, rest = rest.partition("{")
        field, _, rest = rest.partition("}")
        known = (written or {}).get(field)
        path += before + (known if known else _path_value(field, inputs))
    path += rest
    if any(segment in (".", "..") for segment in path.split("/")):
        raise InvalidUsage("a path segment must not be `.` or `..`")
    return path


def named(template: str, inputs: Inputs) -> dict[str, Any]:
    """The inputs that a path names."""
    parts = [part.partition("}")[0].lstrip("+") for part in template.split("{")[1:]]
    return {field: inputs[field] for field in parts if field in inputs}


def _path_value(field: str, inputs: Inputs) -> str:
    whole = field.startswith("+")
    field = field.lstrip("+")
    text = wire_text(inputs[field])
    option = inputs.option(field)
    segments = text.split("/") if whole else [text]
    if text == "":
        raise InvalidUsage(f"missing value for `{option}`")
    if any(segment in ("", ".", "..") for segment in segments):
        raise InvalidUsage(
            f"`{option}` has a part that is empty, `.` or `..`", {"value": quote(text)}
        )
    return "/".join(percent(segment, safe="") for segment in segments)


def query_string(values: dict[str, Any]) -> str:
    """Encode a query. A list is joined by commas, or repeated for a name with []."""
    pairs = []
    for name, value in values.items():
        many = isinstance(value, (list, tuple)) and name.endswith("[]")
        for item in value if many else [value]:
            pairs.append(
                f"{percent(name, safe='[]')}={percent(wire_text(item), safe='')}"
            )
    return "&".join(pairs)


def wire_text(value: Any) -> str:
    """How a value is written in a URL."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)) and not any(
        isinstance(item, (list, tuple, dict)) for item in value
    ):
        return ",".join(wire_text(item) for item in value)
    if isinstance(value, (dict, list, tuple)):
        import json

        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return str(value)
