"""The command line, built from the tool: parsing, help, and the run of a command."""

from __future__ import annotations

import contextlib
import difflib
import functools
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

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


class _Word(NamedTuple):
    """A word that may stand here: of a command, or of a group."""

    command: Command | None
    hidden: bool = False


class _Group(click.Group):
    """A word that needs another one behind it; what that one leads to is made then."""

    def __init__(
        self,
        name: str,
        words: Callable[[], dict[str, _Word]],
        make: Callable[[str, _Word], click.Command],
        **more: Any,
    ) -> None:
        super().__init__(name, invoke_without_command=True, callback=_missing, **more)
        self._words, self._make = words, make

    @functools.cached_property
    def words(self) -> dict[str, _Word]:
        """The words behind this one, in the order of the tool."""
        return self._words()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.words)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and (word := self.words.get(cmd_name)):
            made = self._make(cmd_name, word)
            made.hidden = word.hidden
            self.commands[cmd_name] = made
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.words:
            _unknown(ctx, self, args[0])
        return super().resolve_command(ctx, args)


def _unknown(context: click.Context, group: _Group, word: str = "") -> NoReturn:
    names = [name for name, each in group.words.items() if not each.hidden]
    fix = f"Use one of: {', '.join(names)}"
    if not word:
        message = f"a command is missing after `{context.command_path}`"
    elif near := difflib.get_close_matches(word[:MAX_SHOWN], names, n=1):
        message = f"there is no command `{context.command_path} {word}`"
        fix = f"Did you mean `{near[0]}`? {fix}"
    else:
        # A word that is like none of them could be a secret: it is not repeated.
        message = f"`{context.command_path}` has no such command"
    raise Fault(USAGE, message, fix=fix, commands=names)


def _tree(app: App, started: float) -> click.Group:
    def make(name: str, word: _Word) -> click.Command:
        if word.command is not None:
            return _leaf(app, word.command, name, started)
        return _Group(
            name,
            functools.partial(_words_of_group, app, name),
            make,
            params=[*map(_option, GLOBALS)],
            help=app.tool.groups.get(name, ""),
        )

    return _Group(
        TOOL,
        functools.partial(_words_of_root, app),
        make,
        params=[*map(_option, GLOBALS), _version()],
        help=f"{about.DESCRIPTION}\n\nAgents: start with `{TOOL} reference`.",
    )


def _words_of_root(app: App) -> dict[str, _Word]:
    found: dict[str, _Word] = {}
    for each in app.tool.in_code:
        for path in (each.path, *each.aliases):
            word, _, name = path.partition(" ")
            # A group that only former names are in has no summary.
            group = _Word(None, word not in app.tool.groups)
            found[word] = group if name else _Word(each, path != each.path)
    if app.tool.table is not None:
        found |= dict.fromkeys(app.tool.table.groups, _Word(None))
    return found


def _words_of_group(app: App, group: str) -> dict[str, _Word]:
    commands, table = [*app.tool.in_code], app.tool.table
    if table is not None and group in table.groups:
        commands += table.commands(group)
    found: dict[str, _Word] = {}
    for each in commands:
        for path in (each.path, *each.aliases):
            word, _, name = path.partition(" ")
            if not name or word != group:
                continue
            if name in found:
                raise ValueError("two commands have the same path")
            found[name] = _Word(each, path != each.path)
    return found


def _missing(**_values: Any) -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None and isinstance(context.command, _Group):
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
            fix="Remove the argument, or put its flag before it",
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
            fix="Omit one of them",
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
