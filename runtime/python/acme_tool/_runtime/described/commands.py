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
from . import answers, inputs, pages, requests
from .client import DescribedClient
from .table import Entry, table

MAX_SHOWN = 2_000


@dataclass(frozen=True)
class Described:
    """What a tool takes from the table."""

    base_url: str
    groups: dict[str, str]
    commands: tuple[Command, ...]
    schemas: dict[str, Schema]


def load() -> Described:
    """Return everything that the table describes."""
    found = table()
    schemas: dict[str, Schema] = {}
    for operation in found["operations"]:
        schemas |= answers.schemas(operation, _schema(operation))
    return Described(
        base_url=found["base_url"],
        groups=found["groups"],
        commands=tuple(_command(operation) for operation in found["operations"]),
        schemas=schemas,
    )


def _schema(operation: Entry) -> str:
    name: str = operation["command"]
    return name.replace(" ", "_").replace("-", "_")


def _command(operation: Entry) -> Command:
    params = [inputs.param(entry) for entry in operation["inputs"]]
    if operation["list"] is not None:
        params += pages.params(operation["list"])
    example = " ".join(map(shlex.quote, [*operation["command"].split(), *operation["example"]]))
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
    others = table()["operations"]
    read = next((each for each in others if each["command"] == reads), None)
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
