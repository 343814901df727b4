"""The facts that the runtime needs about a tool, which describes itself with `Tool`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .commands import auth, self_description
from .config import env

if TYPE_CHECKING:
    from .checks import Check
    from .command import Account, Call, Command
    from .credentials.credential import Credential
    from .rest import Connection
    from .schemas import Schema


class Client(Protocol):
    """A client of the upstream, as far as the runtime uses it."""

    def account(self) -> Account:
        """Return the account of the credential; confirm tokens are bound to its id."""


@dataclass(frozen=True)
class Setting:
    """One more value that a user can set, beside those that every tool has.

    It is read from the variable `<PREFIX>_<NAME>`. A setting that is not secret may also
    be in config.json, in lower case.
    """

    name: str
    description: str
    secret: bool = False
    default: str = ""


@dataclass(frozen=True)
class Readiness:
    """How far a release may be trusted (agent-cli, release readiness)."""

    # `beta` or `stable`; `stable` needs a recorded live run.
    level: str
    reason: str
    # Each status is `verified` or `missing`.
    fcc_status: str
    mock_upstream_status: str
    live_smoke_status: str
    # Paths of files in the repository.
    required_evidence: tuple[str, ...]
    live_smoke_record: str = "docs/E2E.md"

    def describe(self) -> dict[str, Any]:
        """Return the member `release_readiness` of `reference`."""
        return {
            "level": self.level,
            "reason": self.reason,
            "fcc_required": True,
            "mock_upstream_required": True,
            "live_smoke_required_for_stable": True,
            "fcc_status": self.fcc_status,
            "mock_upstream_status": self.mock_upstream_status,
            "live_smoke_status": self.live_smoke_status,
            "required_evidence": list(self.required_evidence),
            "live_smoke_record": self.live_smoke_record,
        }


class Table(Protocol):
    """Groups whose commands are made when a call needs them."""

    @property
    def groups(self) -> Mapping[str, str]:
        """One line for each group."""

    def commands(self, group: str) -> Sequence[Command]:
        """Return the commands of a group."""

    def schemas(self, group: str) -> Mapping[str, Schema]:
        """Return the schemas that the commands of a group name."""


@dataclass(frozen=True)
class Tool:
    """One tool. A mistake in the tables raises ValueError when the tool starts."""

    # Makes the client of the upstream; a subclass of `Rest` does.
    connect: Callable[[Connection], Client]
    # One line for each first word of a path with several words.
    groups: Mapping[str, str]
    commands: Sequence[Command]
    # The schemas that the commands name.
    schemas: Mapping[str, Schema]
    readiness: Readiness
    # T0 only reads, T1 writes or handles credentials, T2 has irreversible actions.
    risk_tier: str
    # The upstream when no other address is configured; empty when it has no public one.
    default_base_url: str = ""
    settings: tuple[Setting, ...] = ()
    # More checks of `doctor`.
    checks: tuple[Callable[[Call], Check], ...] = ()
    # Renews a credential that expires; None when credentials do not expire.
    renew: Callable[[Any, str], Credential] | None = None
    # The variables of an API that takes several keys at once, without the prefix of the
    # tool. An API with one key has none, and its variable is TOKEN.
    keys: tuple[str, ...] = ()
    # Commands that are data, beside those in code.
    table: Table | None = None
    # The upstream takes no credential, so none is kept and none is asked for.
    anonymous: bool = False
    # The commands in code: those of the tool, then those that every tool has.
    in_code: tuple[Command, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        own = self._of_every_tool()
        more = self.table.groups if self.table else {}
        groups = {**more, **self.groups}
        schemas = {**self.schemas, **self_description.SCHEMAS}
        if not self.anonymous:
            groups |= auth.GROUPS
            schemas |= auth.SCHEMAS
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "schemas", schemas)
        object.__setattr__(self, "in_code", (*self.commands, *own))
        self._examine(self.in_code, schemas)

    @property
    def own_commands(self) -> tuple[Command, ...]:
        """The commands of the tool, without those that every tool has."""
        found = [*self.commands]
        if self.table is not None:
            for group in self.table.groups:
                found += self.table.commands(group)
        return tuple(found)

    @functools.cached_property
    def all_commands(self) -> tuple[Command, ...]:
        """The commands of the tool, then those that every tool has."""
        found = (*self.own_commands, *self._of_every_tool())
        self._examine(found, self.all_schemas)
        return found

    @property
    def all_schemas(self) -> Mapping[str, Schema]:
        """The schemas of all commands."""
        found = {**self.schemas}
        if self.table is not None:
            for group in self.table.groups:
                found |= self.table.schemas(group)
        return found

    @property
    def expiring(self) -> bool:
        """Whether credentials expire and are renewed."""
        return self.renew is not None

    def secrets(self) -> list[str]:
        """Return the values of keys and secret settings that no answer may show."""
        found = (
            os.environ.get(env(each.name), "") for each in self.settings if each.secret
        )
        keys = (os.environ.get(env(name), "") for name in self.keys)
        return [value for value in (*found, *keys) if value]

    def fields_of(self, command: Command) -> list[str]:
        """Return what --fields may name: of an entry when the data is a page."""
        schemas = self.schemas
        group = command.path.partition(" ")[0]
        if self.table is not None and group in self.table.groups:
            schemas = {**schemas, **self.table.schemas(group)}
        schema = schemas[command.output]
        return schemas[schema.items or command.output].fields

    def _of_every_tool(self) -> tuple[Command, ...]:
        if self.anonymous:
            return self_description.COMMANDS
        return (*auth.commands(self.keys), *self_description.COMMANDS)

    def _examine(
        self, commands: Sequence[Command], schemas: Mapping[str, Schema]
    ) -> None:
        paths = [path for each in commands for path in (each.path, *each.aliases)]
        if len(set(paths)) != len(paths):
            raise ValueError("two commands have the same path")
        for each in commands:
            if (named := each.output) not in schemas:
                raise ValueError(f"`{each.path}` names the unknown schema `{named}`")
            if (word := each.path.rpartition(" ")[0]) and word not in self.groups:
                raise ValueError(f"`{each.path}` needs a line for `{word}` in groups")
