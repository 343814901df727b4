"""The description of a command, for help, reference, the run and the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ..about import TOOL
from . import output
from .fault import FORBIDDEN, USAGE, VALIDATION, Fault

if TYPE_CHECKING:
    from .app import App

C = TypeVar("C")

# Kinds of parameters, as reference names them.
STRING = "string"
INTEGER = "integer"
BOOLEAN = "boolean"
LIST = "list"

# Policies of writes, as the contract names them.
ALWAYS = "always"
WHEN_LOSSY = "when_lossy"
EXEMPT = "exempt"

MAX_TEXT = 100_000
MAX_LIST = 10_000


@dataclass(frozen=True)
class Param:
    """One flag. All that an agent passes is a flag; there are no other arguments."""

    name: str
    kind: str
    help: str
    required: bool = False
    # A closed set; none is any value.
    values: tuple[str, ...] = ()
    default: str | None = None
    # Bounds of an integer.
    minimum: int = 0
    maximum: int = 0

    @property
    def flag(self) -> str:
        """How it is written."""
        return f"--{self.name}"

    def read(self, given: Sequence[str]) -> list[str]:
        """Hold what a call passed against this parameter; give its values."""
        texts = self._split(given)
        if not given:
            if self.required:
                raise Fault(
                    USAGE,
                    f"{self.flag} is missing",
                    fix=f"Add {self.flag}",
                    flag=self.flag,
                )
            return [] if self.default is None else [self.default]
        for text in texts:
            self._check(text)
        return texts

    def _split(self, given: Sequence[str]) -> list[str]:
        if self.kind == LIST:
            parts = (part.strip() for text in given for part in text.split(","))
            texts = list(dict.fromkeys(part for part in parts if part))
            if given and not texts:
                raise self._refused("Name at least one value, by comma or repetition")
            if len(texts) > MAX_LIST:
                raise self._refused(f"Name at most {MAX_LIST} values")
            return texts
        if len(given) > 1 and self.kind != BOOLEAN:
            # The last one would win without a word.
            raise Fault(
                USAGE,
                f"{self.flag} is given twice",
                fix="Omit one of them",
                flag=self.flag,
            )
        return list(given)

    def _check(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            raise self._refused(f"Use at most {MAX_TEXT} characters")
        if any("\ud800" <= symbol <= "\udfff" for symbol in text):
            raise self._refused("Pass it as UTF-8")
        if self.values and text not in self.values:
            raise self._refused(f"Use one of: {', '.join(self.values)}")
        if self.required and not text.strip():
            raise self._refused(f"Give {self.flag} a value")
        if self.kind == INTEGER:
            is_number = text.isascii() and text.isdigit() and len(text) < 20
            if not is_number or not self.minimum <= int(text) <= self.maximum:
                raise self._refused(
                    f"Use a whole number from {self.minimum} to {self.maximum}"
                )

    def _refused(self, fix: str) -> Fault:
        return Fault(
            VALIDATION,
            f"{self.flag} has an invalid value",
            fix=fix,
            flag=self.flag,
        )


# Flags of all commands, of queries, and of writes.
FORMAT = Param(
    "format", STRING, "Output format", values=output.FORMATS, default=output.JSON
)
AS_JSON = Param("json", BOOLEAN, "Same as --format json")
COMPACT = Param("compact", BOOLEAN, "Print JSON without optional white space")
QUIET = Param("quiet", BOOLEAN, "Print no progress or hints; errors are still shown")
GLOBALS = (FORMAT, AS_JSON, COMPACT, QUIET)
FIELDS = Param("fields", LIST, "Print only these fields")
DRY_RUN = Param("dry-run", BOOLEAN, "Change nothing; show a preview and a token")
CONFIRM = Param("confirm", STRING, "Make the previewed change, with its token")
DANGEROUS = Param("dangerous", BOOLEAN, "Allow a change that cannot be undone")


@dataclass(frozen=True)
class Account:
    """The account that writes, and its permissions in the upstream."""

    id: str = ""
    permissions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The preview of a write."""

    # Shown; a token is bound to all of it.
    preview: dict[str, Any]
    # Carries it out; the key is a new one for each confirmation.
    apply: Callable[[str], Any]
    # Bound as well, and not shown.
    payload: Any = None
    # None if the write stays on this machine.
    account: Account = field(default_factory=Account)
    # Whether something would be lost.
    lossy: bool = True


def change(
    action: str,
    resource: str,
    target: str | None,
    before: Any = None,
    after: Any = None,
) -> dict[str, Any]:
    """Return one change of a preview."""
    return {
        "action": action,
        "resource": resource,
        "id": target,
        "before": before,
        "after": after,
    }


@dataclass(frozen=True)
class Command:
    """One leaf command; it reads with `run`, or writes with `plan`."""

    # The words behind the name of the tool.
    path: str
    summary: str
    # Names the schema of the data.
    output: str
    # Calls without the name of the tool.
    examples: tuple[str, ...]
    detail: str = ""
    params: tuple[Param, ...] = ()
    # Former paths, which still work.
    aliases: tuple[str, ...] = ()
    # Answers a query. One that streams prints its lines itself.
    run: Callable[[Call], Any] | None = None
    stream: bool = False
    # Whether the format raw passes bytes through.
    raw: bool = False
    # Finds out what a write would do; it may read and changes nothing.
    plan: Callable[[Call], Plan] | None = None
    confirm: str | None = None
    # Such a write cannot be undone or reaches far; it needs --dangerous as well.
    dangerous: bool = False
    # Such a write has a plural flag and a result for each target.
    batch: bool = False

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return self.confirm is not None

    @property
    def all_params(self) -> tuple[Param, ...]:
        """Its flags, with those that its kind brings."""
        if not self.writes:
            return (*self.params, FIELDS)
        if self.confirm == EXEMPT:
            return self.params
        gate = (DRY_RUN, CONFIRM, *((DANGEROUS,) if self.dangerous else ()))
        return (*self.params, *gate)

    @property
    def calls(self) -> list[str]:
        """Its examples, as they are typed."""
        return [f"{TOOL} {example}" for example in self.examples]


class Call:
    """One call of a command."""

    def __init__(self, app: App, command: Command) -> None:
        self.app = app
        self.command = command
        # The values that were passed, by parameter, before anything is checked.
        self.given: dict[str, tuple[str, ...]] = {}
        self._values: dict[str, list[str]] = {}

    def check(self) -> None:
        """Refuse what cannot be carried out as it stands."""
        for param in self.command.all_params:
            self._values[param.name] = param.read(self.given.get(param.name, ()))

    def text(self, name: str) -> str:
        """Return the value of a parameter; empty when there is none."""
        values = self._values.get(name)
        return values[0] if values else ""

    def number(self, name: str) -> int:
        """Return the value of an integer."""
        return int(self.text(name) or "0")

    def flag(self, name: str) -> bool:
        """Return whether a boolean is set."""
        return bool(self.given.get(name))

    def list(self, name: str) -> list[str]:
        """Return the values of a list, in their order, each once."""
        return [*self._values.get(name, ())]

    def has(self, name: str) -> bool:
        """Return whether a parameter was passed."""
        return bool(self.given.get(name))

    def client(self, kind: type[C]) -> C:
        """Return the client of the upstream, which is of the type that the tool names."""
        found = self.app.client
        if not isinstance(found, kind):
            raise TypeError(f"the client is not a {kind.__name__}")
        return found

    def allowed(self, permission: str) -> Account:
        """Return the account; raise E_FORBIDDEN when it lacks a permission.

        An empty permission is for an upstream that does not name permissions.
        """
        account = self.app.account()
        if permission and permission not in account.permissions:
            raise Fault(
                FORBIDDEN,
                f"the account `{account.id}` lacks the permission {permission}",
                fix="Ask for the permission, or use an account that has it",
                permission=permission,
            )
        return account

    @property
    def is_raw(self) -> bool:
        """Whether bytes are wanted as they are."""
        return self.app.printer.format == output.RAW
