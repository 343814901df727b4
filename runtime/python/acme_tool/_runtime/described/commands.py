"""Makes commands, groups and schemas from the table."""

from __future__ import annotations

import functools
import hashlib
import shlex
from dataclasses import dataclass
from typing import Any

from ..command import ALWAYS, Account, Call, Command, Plan, change
from ..fault import FORBIDDEN, Fault
from ..schemas import Schema
from . import answers, inputs, pages, requests, table
from .client import DescribedClient
from .table import Entry

MAX_SHOWN = 2_000


@dataclass(frozen=True)
class Described:
    """The commands that a tool takes from the table; a group is made once."""

    base_url: str
    groups: dict[str, str]
    # The variables of the keys that the API takes at once; an API with one has none.
    keys: tuple[str, ...]

    def commands(self, group: str) -> tuple[Command, ...]:
        """Return the commands of a group."""
        return _commands(group)

    def schemas(self, group: str) -> dict[str, Schema]:
        """Return the schemas of the commands of a group."""
        return _schemas(group)


def load() -> Described:
    """Return everything that the table describes."""
    api = table.api()
    keys = tuple(each["variable"] for each in api["auth"].get("keys", ()))
    return Described(api["base_url"], api["groups"], keys)


@functools.cache
def _commands(group: str) -> tuple[Command, ...]:
    found = tuple(map(_command, table.operations(group)))
    for each in found:
        if each.path.partition(" ")[0] != group:
            raise ValueError(f"`{each.path}` is among the commands of `{group}`")
    return found


@functools.cache
def _schemas(group: str) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for each in table.operations(group):
        found |= answers.schemas(each, _schema(each))
    return found


def _schema(operation: Entry) -> str:
    name: str = operation["command"]
    return name.replace(" ", "_").replace("-", "_")


def _command(operation: Entry) -> Command:
    params = [inputs.param(entry) for entry in operation["inputs"]]
    if operation["list"] is not None:
        params += pages.params(operation["list"])
    example = " ".join(
        map(shlex.quote, [*operation["command"].split(), *operation["example"]])
    )
    common: dict[str, Any] = {
        "path": operation["command"],
        "summary": operation["summary"],
        "detail": operation["request"],
        "params": tuple(params),
        "output": _schema(operation),
    }
    if not operation["writes"]:
        run = functools.partial(_run, operation)
        return Command(**common, examples=(example,), run=run)
    if operation["dangerous"]:
        example += " --dangerous"
    return Command(
        **common,
        examples=(f"{example} --dry-run", f"{example} --confirm ct_TOKEN"),
        plan=functools.partial(_plan, operation),
        confirm=ALWAYS,
        dangerous=operation["dangerous"],
    )


def _run(operation: Entry, call: Call) -> dict[str, Any]:
    given = inputs.values(call, operation["inputs"])
    return _asked(operation, call, given)


def _asked(operation: Entry, call: Call, given: requests.Given) -> dict[str, Any]:
    client = call.client(DescribedClient)
    if operation["list"] is not None:
        return pages.page(call, client, operation, given)
    document, _link = client.reply(requests.ask(operation, given))
    return answers.single(operation, document)


def _plan(operation: Entry, call: Call) -> Plan:
    given = inputs.values(call, operation["inputs"])
    ask = requests.ask(operation, given)
    account = Account() if operation["public"] else call.app.account()
    before = _before(operation, call, given)
    after = answers.normal(
        {entry["option"]: call.text(entry["flag"])[:MAX_SHOWN] for entry, _ in given}
    )
    targets = [call.text(e["flag"]) for e, _ in given if e["place"] == "path"]
    resource, _, action = operation["id"].partition(".")
    made = change(action, resource, "/".join(targets) or None, before, after)
    # A boundary of a form is another one each time; the values are the same.
    sent = repr([(entry["flag"], value) for entry, value in given])
    return Plan(
        preview={"request": operation["request"], "changes": [made]},
        payload=hashlib.sha256(sent.encode("utf-8", "surrogateescape")).hexdigest(),
        account=account,
        apply=lambda _key: _applied(operation, call, ask, given),
    )


def _applied(operation: Entry, call: Call, ask: Any, given: requests.Given) -> Any:
    if operation["list"] is not None:
        return _asked(operation, call, given)
    document, _link = call.client(DescribedClient).reply(ask)
    return answers.single(operation, document)


def _before(operation: Entry, call: Call, given: requests.Given) -> Any:
    """Return what the write is about, where the API shows it."""
    reads = operation["reads"]
    if not reads:
        return None
    read = table.operation(reads)
    if read is None:
        return None
    wanted = {each["name"]: each for each in read["inputs"] if each["place"] == "path"}
    of_read = [
        (wanted[entry["name"]], value)
        for entry, value in given
        if entry["place"] == "path" and entry["name"] in wanted
    ]
    try:
        return _asked(read, call, of_read)
    except Fault as failed:
        if failed.code == FORBIDDEN:
            return None
        raise
