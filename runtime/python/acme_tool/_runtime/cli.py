"""The command line, built from the tool: parsing, help, and the run of a command."""

from __future__ import annotations

import contextlib
import difflib
import functools
import io
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from .. import about
from ..about import TOOL, VERSION
from . import command, gate, output
from .app import App
from .command import BOOLEAN, FIELDS, GLOBALS, Call, Command, Param
from .fault import USAGE, Fault, cancelled, unexpected
from .signals import Interrupted

MAX_SHOWN = 60


def invoke(app: App, words: Sequence[str], started: float) -> None:
    """Parse and carry out one call."""
    root = _tree(app, started)
    # Click prints help by itself; a stdout that fails is the matter of the printer.
    shown = io.StringIO()
    try:
        # `main` of click would watch variables and expand words on Windows.
        with (
            contextlib.redirect_stdout(shown),
            root.make_context(TOOL, list(words)) as context,
        ):
            root.invoke(context)
    except click.exceptions.Exit:
        app.printer.raw(shown.getvalue().encode())


def scan(words: Sequence[str]) -> tuple[str, bool, bool]:
    """Find format, compact and quiet, also in a call that cannot be parsed."""
    form, compact, quiet = output.JSON, False, False
    for index, word in enumerate(words):
        if word == "--":
            break
        compact = compact or word == "--compact"
        quiet = quiet or word == "--quiet"
        value = word.removeprefix("--format=")
        if word == "--format":
            value = words[index + 1] if index + 1 < len(words) else ""
        elif value == word:
            continue
        if value in output.FORMATS:
            form = value
    return form, compact, quiet


class _Group(click.Group):
    """A word that needs another one behind it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            _unknown(ctx, self, args[0])
        return super().resolve_command(ctx, args)


def _unknown(context: click.Context, group: click.Group, word: str = "") -> NoReturn:
    names = [name for name, each in group.commands.items() if not each.hidden]
    fix = f"Use one of: {', '.join(names)}"
    if not word:
        message = f"a command is missing behind `{context.command_path}`"
    elif near := difflib.get_close_matches(word[:MAX_SHOWN], names, n=1):
        message = f"there is no command `{context.command_path} {word}`"
        fix = f"Did you mean `{near[0]}`? {fix}"
    else:
        # A word that is like none of them could be a secret: it is not repeated.
        message = f"there is no such command behind `{context.command_path}`"
    raise Fault(USAGE, message, fix=fix, commands=names)


def _tree(app: App, started: float) -> click.Group:
    root = _Group(
        TOOL,
        params=[*map(_option, GLOBALS), _version()],
        help=f"{about.DESCRIPTION}\n\nAgents: start with `{TOOL} reference`.",
        invoke_without_command=True,
        callback=_missing,
    )
    groups: dict[str, click.Group] = {"": root}
    for each in app.tool.all_commands:
        for path in (each.path, *each.aliases):
            parent, _, name = path.rpartition(" ")
            if parent not in groups:
                groups[parent] = _Group(
                    parent,
                    params=[*map(_option, GLOBALS)],
                    help=app.tool.groups.get(parent, ""),
                    invoke_without_command=True,
                    callback=_missing,
                    # A group that only former names are in.
                    hidden=parent not in app.tool.groups,
                )
                root.add_command(groups[parent])
            leaf = _leaf(app, each, name, started)
            leaf.hidden = path != each.path
            groups[parent].add_command(leaf)
    return root


def _missing(**_values: Any) -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None and isinstance(context.command, click.Group):
        _unknown(context, context.command)


def _leaf(app: App, each: Command, name: str, started: float) -> click.Command:
    return click.Command(
        name,
        params=[*map(_option, (*each.all_params, *GLOBALS))],
        help=f"{each.summary}.\n\n{each.detail}".strip(),
        short_help=each.summary,
        epilog="\b\nExamples:\n" + "\n".join(f"  {call}" for call in each.calls),
        callback=functools.partial(_called, app, each, started),
        context_settings={"allow_extra_args": True, "allow_interspersed_args": True},
    )


def _option(param: Param) -> click.Option:
    name = param.name.replace("-", "_")
    if param.kind == BOOLEAN:
        return click.Option([param.flag, name], is_flag=True, help=param.help)
    shown = param.help
    if param.required:
        shown += " (required)"
    elif param.default is not None:
        shown += f" (default: {param.default})"
    return click.Option(
        [param.flag, name],
        # All values are looked at, so that a flag that is given twice is seen.
        multiple=True,
        metavar="|".join(param.values) or param.kind.upper(),
        help=shown,
    )


def _version() -> click.Option:
    def show(context: click.Context, _param: click.Parameter, is_set: bool) -> None:
        if is_set:
            click.echo(f"{TOOL} {VERSION}")
            context.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version",
    )


def _called(app: App, each: Command, started: float, **values: Any) -> None:
    call = Call(app, each)
    failed: Fault | None = None
    try:
        _fill(call, values)
        _execute(call)
    except Fault as error:
        failed = error
        raise
    except Interrupted:
        failed = cancelled()
        raise
    except Exception as error:
        failed = unexpected(error)
        raise
    finally:
        if each.writes:
            gate.log(call, started, failed)


def _fill(call: Call, values: dict[str, Any]) -> None:
    """Take what was passed, wherever the globals stood, and check it."""
    context: click.Context | None = click.get_current_context()
    extra = list(context.args) if context else []
    call.given = {
        param.name: _given(values[param.name.replace("-", "_")])
        for param in call.command.all_params
    }
    levels = []
    while context is not None:
        levels.append(context.params)
        context = context.parent
    shared: dict[str, tuple[str, ...]] = {}
    for param in GLOBALS:
        found = (_given(level[param.name]) for level in reversed(levels))
        shared[param.name] = tuple(text for texts in found for text in texts)
    if extra:
        raise Fault(
            USAGE,
            f"`{call.command.path}` takes no arguments, only flags",
            fix="Remove what stands alone, or put its flag before it",
        )
    _set_format(call, shared)
    call.check()


def _given(value: Any) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return ("true",) if value else ()


def _set_format(call: Call, shared: dict[str, tuple[str, ...]]) -> None:
    printer = call.app.printer
    form = command.FORMAT.read(shared["format"])[0]
    printer.format = output.JSON
    if shared["json"] and shared["format"] and form != output.JSON:
        raise Fault(
            USAGE,
            f"--json and --format {form} exclude each other",
            fix="Leave one of them out",
        )
    if form == output.RAW and not call.command.raw:
        raise Fault(
            USAGE,
            f"`{call.command.path}` has no format raw",
            fix="Use --format json or text",
        )
    printer.format = form


def _execute(call: Call) -> None:
    printer = call.app.printer
    printer.notices = call.app.notices()
    printer.fields = call.list(FIELDS.name)
    output.check_fields(printer.fields, call.app.tool.fields_of(call.command))
    if call.command.writes and call.command.plan is not None:
        printer.success(gate.write(call))
        return
    if call.command.run is None:
        raise AssertionError(f"{call.command.path} does nothing")
    data = call.command.run(call)
    if not call.command.stream:
        printer.success(data)
