"""How this program was installed, and who may change it therefore.

A frozen program is recognized by where its real file lies and, for npm, by what npm
wrote there: a directory that only looks like one of a manager is not enough. A program
that Python runs belongs to whoever installed the package.
"""

from __future__ import annotations

import json
import shlex
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...about import DISTRIBUTION, NPM_PACKAGE, TOOL
from .. import fault, files, process
from ..fault import Fault
from .executable import version_of

if TYPE_CHECKING:
    from importlib.metadata import Distribution

STANDALONE = "standalone"
NPM = "npm"
PIP = "pip"
PIPX = "pipx"
UV = "uv"
HOMEBREW = "homebrew"
OTHER = "other"

MANAGER_LIMIT = 600.0
MAX_MANIFEST = 64 * 1024

_VERSION = "{version}"
# Managers that cannot be driven from here, by a part of the paths that they use.
_FOREIGN = {
    "/nix/store/": "nix",
    "/snap/": "snap",
    "/scoop/apps/": "scoop",
    "/mise/installs/": "mise",
    "/chocolatey/": "chocolatey",
    "/caskroom/": "brew",
}
_NETWORK = (
    "connection",
    "could not fetch url",
    "could not resolve",
    "econn",
    "enotfound",
    "eai_again",
    "etimedout",
    "failed to fetch",
    "name resolution",
    "network",
    "timed out",
)
_RIGHTS = ("eacces", "eperm", "permission denied", "access is denied")


@dataclass(frozen=True)
class Installation:
    """How the program came here."""

    method: str
    # The program that is run, or replaced.
    program: tuple[str, ...]
    # The arguments of the manager; {version} is replaced by the version.
    words: tuple[str, ...] = ()
    # Whether the manager can only install its newest version.
    newest_only: bool = False
    # The owner of the program, if it cannot be updated from here.
    owner: str = ""

    @property
    def is_managed(self) -> bool:
        """Whether the file belongs to a package manager."""
        return self.method != STANDALONE

    def words_for(self, version: str) -> list[str]:
        """Return the words of the manager for a version."""
        return [word.replace(_VERSION, version) for word in self.words]

    def command(self, version: str) -> str:
        """Return the command that a person can run."""
        if self.method == STANDALONE:
            return f"{TOOL} update"
        if self.method == OTHER:
            return f"update {TOOL} with {self.owner}"
        return shlex.join(self.words_for(version))

    def version(self) -> str:
        """Return the installed version, as the program itself reports it."""
        return version_of(self.program, Path(tempfile.gettempdir()))

    def drive(self, version: str, *, is_newest: bool) -> None:
        """Let the manager install a version."""
        command = self.command(version)
        if self.method == OTHER:
            raise Fault(
                fault.CONFIG,
                f"{TOOL} was installed by {self.owner}, which it cannot run",
                fix=f"Please {command}",
                command=command,
            )
        manager, *rest = self.words_for(version)
        if self.newest_only and not is_newest:
            raise Fault(
                fault.CONFIG,
                f"{manager} cannot install a version that is not its newest",
                fix="Omit --target-version, or install that version yourself",
                command=command,
            )
        found = manager if Path(manager).is_absolute() else process.find(manager)
        if found is None:
            raise Fault(
                fault.CONFIG,
                f"{TOOL} was installed with `{manager}`, which is not on PATH",
                fix=f"Put `{manager}` on PATH, or run `{command}` yourself",
                command=command,
            )
        directory = Path(tempfile.gettempdir())
        try:
            ending = process.run(
                [found, *rest], directory=directory, limit=MANAGER_LIMIT
            )
        except OSError as error:
            raise Fault(
                fault.IO,
                f"`{manager}` cannot be run: {files.reason(error)}",
                fix=f"Run `{command}`",
                command=command,
            ) from error
        if ending.exit != 0:
            raise _failure(manager, command, ending)


def detect() -> Installation:
    """Recognise how this program was installed."""
    if getattr(sys, "frozen", False):
        return of_file(Path(sys.executable).resolve())
    return _of_package()


def of_file(path: Path) -> Installation:
    """Recognise who owns a program that is one file."""
    program = (str(path),)
    parts = path.as_posix().split("/")
    if "node_modules" in parts and _is_npm(path):
        return _npm(path, parts, program)
    if "Cellar" in parts[:-2]:
        formula = parts[parts.index("Cellar") + 1]
        words = ("brew", "upgrade", formula)
        return Installation(HOMEBREW, program, words, newest_only=True)
    lowered = f"{path.as_posix().lower()}/"
    for part, owner in _FOREIGN.items():
        if part in lowered:
            return Installation(OTHER, program, owner=owner)
    return Installation(STANDALONE, program)


def _npm(path: Path, parts: Sequence[str], program: tuple[str, ...]) -> Installation:
    above = Path(path.as_posix().split("/node_modules/")[0] or "/")
    is_windows = sys.platform == "win32"
    if not is_windows and parts[parts.index("node_modules") - 1] == "lib":
        prefix, is_global = above.parent, True
    else:
        prefix, is_global = above, is_windows and not (above / "package.json").exists()
    if not is_global:
        return Installation(OTHER, program, owner=f"the npm project in {prefix}")
    # The prefix is that of this very file: there may be several.
    package = f"{NPM_PACKAGE}@{_VERSION}"
    words = ("npm", "install", "--global", "--prefix", str(prefix), package)
    return Installation(NPM, program, words)


def _is_npm(path: Path) -> bool:
    """Look for the manifest of the platform package: <package>/bin/<program>."""
    try:
        text = files.read_bounded(path.parent.parent / "package.json", MAX_MANIFEST)
        name = json.loads(text)["name"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False
    return isinstance(name, str) and name.startswith(f"{NPM_PACKAGE}-")


def _of_package() -> Installation:
    from importlib import metadata

    package = __name__.partition(".")[0]
    program = (sys.executable, "-m", package)
    try:
        found = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return Installation(OTHER, program, owner="its checkout, where it was started")
    if not _belongs(found):
        return Installation(OTHER, program, owner="its checkout, where it was started")
    if found.read_text("direct_url.json") is not None:
        return Installation(OTHER, program, owner="the source it was installed from")
    wanted = f"{DISTRIBUTION}=={_VERSION}"
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return Installation(PIPX, program, ("pipx", "install", "--force", wanted))
    if (prefix / "uv-receipt.toml").is_file():
        return Installation(UV, program, ("uv", "tool", "install", "--force", wanted))
    installer = (found.read_text("INSTALLER") or "").strip()
    if installer == "uv":
        command = ("uv", "pip", "install", "--python", sys.executable, wanted)
        return Installation(UV, program, command)
    is_system = sys.prefix == sys.base_prefix
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if installer != "pip" or (is_system and marker.exists()):
        return Installation(OTHER, program, owner=installer or "the system")
    words = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check")
    return Installation(PIP, program, (*words, wanted))


def _belongs(found: Distribution) -> bool:
    """Return whether an installed package is the code that runs, not another copy."""
    here = Path(__file__).resolve()
    return any(
        Path(str(found.locate_file(file))).resolve() == here
        for file in found.files or ()
        if file.name == here.name
    )


def _failure(manager: str, command: str, ending: process.Ending) -> Fault:
    said = ending.tail.lower()
    code = fault.IO
    if ending.timed_out:
        code = fault.TIMEOUT
    elif any(sign in said for sign in _RIGHTS):
        code = fault.FORBIDDEN
    elif any(sign in said for sign in _NETWORK):
        code = fault.NETWORK
    return Fault(
        code,
        f"`{Path(manager).name}` failed",
        fix=f"Run `{command}`",
        command=command,
        manager_exit=ending.exit,
        manager_output=ending.tail,
    )
