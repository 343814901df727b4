"""The click commands, built from the contract: options are declared nowhere else.

Importing click takes longer than all the rest of a start, so this module is
imported only when there are options to parse or help to show.
"""

# isort: skip_file
from __future__ import annotations

import difflib

import click

from .. import api
from ..contract_gen import COMMANDS, DEFAULT_MODE, FIELDS, MODE_ENV, MODES, TOOL
from .errors import InvalidUsage
from .invocation import SHAPES, command_words, option_name, option_names
from .redaction import quote
from .selection import EVERYTHING
from .sources import HELP, LONG_TYPES

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Spec = dict[str, Any]

SUMMARIES = {
    "config": "Show the configuration of the connector",
}
WIDTH: dict[str, Any] = {"terminal_width": 96, "max_content_width": 96}


def parse(command_id: str, words: list[str]) -> dict[str, list[str]]:
    """The texts given for each option: {field: [text, ...]}."""
    command = build_command(command_id)
    try:
        with command.make_context(command_id, list(words), **WIDTH) as context:
            found = dict(context.params)
    except click.NoSuchOption as error:
        known = [option_name(field) for field in COMMANDS[command_id]["options"]]
        raise InvalidUsage(
            f"no option `{quote(error.option_name)}` for {command_id}",
            {"options": known},
            hint=did_you_mean(error.option_name, known),
        ) from None
    except click.BadOptionUsage as error:
        raise InvalidUsage(
            f"option `{quote(error.option_name)}` needs a value"
        ) from None
    except click.UsageError as error:
        raise InvalidUsage(quote(error.format_message())) from None
    return {field: list(texts) for field, texts in found.items() if texts}


def help_text(path: tuple[str, ...]) -> str:
    """The help of the root, a group or a command."""
    command: click.Command = build_tree()
    context = click.Context(command, info_name=TOOL, **WIDTH)
    for word in path:
        assert isinstance(command, click.Group)
        command = command.commands[word]
        context = click.Context(command, info_name=word, parent=context, **WIDTH)
    return command.get_help(context)


def build_tree() -> click.Group:
    """Every command as a tree of click groups."""
    root = _group(TOOL, ())
    for command_id in COMMANDS:
        *groups, name = command_id.split(".")
        parent = root
        for depth, word in enumerate(groups, start=1):
            if word not in parent.commands:
                parent.add_command(_group(word, tuple(groups[:depth])))
            group = parent.commands[word]
            assert isinstance(group, click.Group)
            parent = group
        parent.add_command(build_command(command_id), name)
    return root


def build_command(command_id: str) -> click.Command:
    """One command with the options that the contract gives it."""
    spec = COMMANDS[command_id]
    params = [_option(field, field in spec["required"]) for field in spec["options"]]
    return click.Command(
        command_id.split(".")[-1],
        params=params + _global_options(),
        help=f"{spec['summary']} (mode {spec['required_mode']}).",
        short_help=spec["summary"],
        epilog="\n\n".join(_notes(command_id, spec)) or None,
    )


def unknown_command(path: tuple[str, ...], stray: list[str]) -> InvalidUsage:
    """The failure for words that lead to no command."""
    depth = len(path)
    known = sorted(
        {
            words[depth]
            for words in command_words()
            if words[:depth] == path and words[depth:]
        }
    )
    if not stray:
        told = f"`{' '.join(path)}` needs a command" if path else "no command was given"
        error = InvalidUsage(told, {"commands": known}, hint="see `--help`")
        error.help = help_text(path)
        return error
    typed = " ".join((*path, *stray)).replace(".", " ")
    whole = [command.replace(".", " ") for command in COMMANDS]
    guess = did_you_mean(typed, whole) or did_you_mean(stray[0], known)
    told = f"no command `{quote(' '.join((*path, stray[0])))}`"
    return InvalidUsage(told, {"commands": known}, hint=guess or "see `--help`")


def did_you_mean(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(str(word).lower(), known, n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _group(name: str, path: tuple[str, ...]) -> click.Group:
    label = SUMMARIES.get(".".join(path), "")
    if not label:
        label = (
            f"Commands for {' '.join(path)}" if path else "Call this API as an agent"
        )
    return click.Group(name, params=_global_options(), help=label + ".")


def _notes(command_id: str, spec: Spec) -> list[str]:
    notes = [HELP] if _takes_long_text(spec) else []
    shown = api.SLIM.get(command_id)
    if shown:
        notes.append(
            f"Each entry shows {', '.join(shown)}. `--fields {EVERYTHING}` shows all "
            f"that the API returns, `--fields a,b.c` selects fields."
        )
    return notes


def _takes_long_text(spec: Spec) -> bool:
    return any(FIELDS[field]["type"] in LONG_TYPES for field in spec["options"])


def _option(field: str, required: bool) -> click.Option:
    spec = FIELDS[field]
    kind = spec["type"]
    metavar = {
        "number": "NUMBER",
        "boolean": "[true|false]",
        "list": "A,B,…",
        "json": "JSON|@FILE|-",
        "richtext": "TEXT|@FILE|-",
    }.get(kind, "TEXT")
    if spec["choices"]:
        metavar = "[" + "|".join(spec["choices"]) + "]"
    told = spec["help"] or ""
    if required:
        told = f"{told}  [required]".strip()
    defaults = [f"${spec['env']}"] if spec.get("env") else []
    if spec["default"] not in (None, ""):
        defaults.append(str(spec["default"]))
    if defaults:
        told = f"{told}  [default: {', else '.join(defaults)}]".strip()
    return click.Option(
        [field, *option_names(field)],
        multiple=True,
        type=click.UNPROCESSED,
        metavar=metavar,
        help=told,
    )


def _shape_options() -> list[click.Parameter]:
    told = {
        "fields": ("A,B.C", "Show only these members: dotted paths in the result"),
        "max_bytes": (
            "NUMBER",
            f"Maximum size of the response in bytes  [default: {api.RESULT_BYTES}]",
        ),
    }
    return [
        click.Option(
            [f"--{name}"], metavar=told[key][0], expose_value=False, help=told[key][1]
        )
        for name, key in SHAPES.items()
        if key not in FIELDS
    ]


def _global_options() -> list[click.Parameter]:
    """Shown in every help. `invocation` takes them out before click parses."""
    env = f", or {MODE_ENV}" if MODE_ENV else ""
    mode = f"Mode of this run{env}  [default: {DEFAULT_MODE}]"
    return [
        click.Option(
            ["--json"], is_flag=True, expose_value=False, help="Answer in JSON"
        ),
        click.Option(
            ["--mode"], metavar=f"[{'|'.join(MODES)}]", expose_value=False, help=mode
        ),
        *_shape_options(),
        click.Option(
            ["--verbose"],
            is_flag=True,
            expose_value=False,
            help="Log requests to stderr",
        ),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, help="Show the version"
        ),
    ]
