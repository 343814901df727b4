"""Where this tool keeps its files and how it is set up: environment, then config.json.

No secret is read from or written to config.json; `credentials` keeps those.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..about import ENV_PREFIX, TOOL
from . import files, strict_json
from .fault import CONFIG, Fault
from .transport.address import Address, Unacceptable

if TYPE_CHECKING:
    from .tool import Tool


def env(name: str) -> str:
    """Return the name of an environment variable of this tool."""
    return f"{ENV_PREFIX}_{name}"


HOME = env("HOME")
BASE_URL = env("BASE_URL")
TOKEN = env("TOKEN")
REFRESH_TOKEN = env("REFRESH_TOKEN")
EXPIRES_AT = env("TOKEN_EXPIRES_AT")
TIMEOUT = env("TIMEOUT")
CONFIRM_LIFETIME = env("CONFIRM_LIFETIME")
KEYRING = env("KEYRING")
UPDATE_API = env("UPDATE_API_URL")
UPDATE_TIMEOUT = env("UPDATE_TIMEOUT")

CONFIG_FILE = "config.json"
DEFAULT_TIMEOUT = 30
MAX_TIMEOUT = 300
MAX_LIFETIME = 600
MAX_CONFIG = 64 * 1024


@dataclass
class Config:
    """The set-up in effect."""

    home: Path
    base_url: Address | None = None
    timeout: float = DEFAULT_TIMEOUT
    # How long a confirm token is good.
    lifetime: float = MAX_LIFETIME
    use_keyring: bool = True
    # The values of the settings of the tool, by their names.
    settings: dict[str, str] = field(default_factory=dict)
    # The fault; commands that need the upstream fail with it.
    problem: Fault | None = None

    def upstream(self) -> Address:
        """Return the address of the upstream, or fail because there is none."""
        if self.problem is not None:
            raise self.problem
        if self.base_url is None:
            raise Fault(
                CONFIG,
                "no upstream is configured",
                fix=f"Set {BASE_URL}, or base_url in {self.home / CONFIG_FILE}",
            )
        return self.base_url

    @property
    def upstream_name(self) -> str:
        """Tell upstreams apart."""
        return str(self.base_url) if self.base_url else "default"


def load(tool: Tool) -> Config:
    """Read the environment and config.json; fails only without a directory for state."""
    found = Config(_home(), use_keyring=os.environ.get(KEYRING) != "off")
    try:
        _fill(found, tool)
    except Fault as problem:
        found.problem = problem
    return found


def _home() -> Path:
    text = os.environ.get(HOME)
    if text:
        path = Path(text)
        if not path.is_absolute():
            raise Fault(
                CONFIG,
                f"{HOME} is not an absolute path",
                fix=f"Set {HOME} to an absolute path, or unset it",
            )
        return path
    home = user_home()
    if home is None:
        raise Fault(
            CONFIG, "there is no home directory", fix=f"Set {HOME} to an absolute path"
        )
    return home / f".{TOOL}"


def user_home() -> Path | None:
    """Return the home directory of the user."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home if home.is_absolute() else None


def _fill(found: Config, tool: Tool) -> None:
    members = {each.name.lower(): each for each in tool.settings if not each.secret}
    document = _document(found.home / CONFIG_FILE, members.keys())
    for each in tool.settings:
        said = "" if each.secret else document.get(each.name.lower(), "")
        found.settings[each.name] = (
            os.environ.get(env(each.name)) or said or each.default
        )
    address = os.environ.get(BASE_URL) or document.get("base_url")
    address = address or tool.default_base_url
    if address:
        try:
            found.base_url = Address.parse_base(address)
        except Unacceptable as error:
            raise Fault(
                CONFIG,
                f"the address of the upstream cannot be used: {error}",
                fix=f"Set {BASE_URL} to an https address; http is for this machine",
            ) from error
    found.timeout = _timeout(document, found.home / CONFIG_FILE)
    found.lifetime = at_most(CONFIRM_LIFETIME, MAX_LIFETIME)


def at_most(name: str, limit: float) -> float:
    """Return a limit in seconds that a variable may shorten and never lengthen."""
    text = os.environ.get(name)
    if not text:
        return limit
    seconds = int(text[:9]) if text.isascii() and text.isdigit() else 0
    if not 1 <= seconds <= limit:
        raise Fault(
            CONFIG,
            f"{name} is not a number of seconds from 1 to {limit:g}",
            fix=f"Change or unset {name}",
        )
    return seconds


def _timeout(document: dict[str, Any], path: Path) -> float:
    seconds: Any = os.environ.get(TIMEOUT) or document.get("timeout_s")
    if seconds is None:
        return DEFAULT_TIMEOUT
    if isinstance(seconds, str) and seconds.isascii() and seconds.isdigit():
        seconds = int(seconds[:9])
    if type(seconds) is not int or not 1 <= seconds <= MAX_TIMEOUT:
        raise Fault(
            CONFIG,
            f"the time limit of requests is not a number of seconds from 1 to {MAX_TIMEOUT}",
            fix=f"Change {TIMEOUT}, or timeout_s in {path}",
        )
    return seconds


def _document(path: Path, more: Collection[str]) -> dict[str, Any]:
    known = ("base_url", "timeout_s", *more)
    try:
        document = strict_json.loads(files.read_bounded(path, MAX_CONFIG), folded=True)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable(path, files.reason(error), known) from error
    except strict_json.Malformed as error:
        raise _unusable(path, str(error), known) from error
    if not isinstance(document, dict) or document.keys() - {*known}:
        raise _unusable(path, "it has a member that is not known", known)
    for name in ("base_url", *more):
        if not isinstance(document.get(name, ""), str):
            raise _unusable(path, f"{name} is not a text", known)
    return document


def _unusable(path: Path, why: str, known: Sequence[str]) -> Fault:
    return Fault(
        CONFIG,
        f"`{path}` cannot be used: {why}",
        fix=f"Correct or remove the file; it may have {' and '.join(known)}",
    )
