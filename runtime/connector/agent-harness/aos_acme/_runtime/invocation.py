"""Reads the words of a command line before anything is parsed or run.

The permission gate needs the command and the mode even when the rest of the
line is wrong, so this scan never fails: it takes the global flags out from
wherever they stand, finds the command, ties every option to its value, and
keeps the first mistake in `problem` for later. Nothing here imports click.

A host grants a mode with `--mode` and may let an agent add words before or
after it. So no second `--mode` may replace the first: two different ones are a
mistake, and that counts a `--mode=…` which an option takes as its value.
"""

from __future__ import annotations

from ..contract_gen import COMMANDS, FIELDS

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    Paths = set[tuple[str, ...]]

BOOLEAN_WORDS = ("true", "false", "yes", "no", "on", "off", "1", "0")
GLOBAL_FLAGS = ("--json", "--verbose", "--help", "--version")
# Keys that the workflow host keeps beside the inputs of a node and sometimes sends.
HOST_KEYS = (
    "type",
    "actionType",
    "connectorId",
    "connectorName",
    "connectorCategory",
    "credentialId",
    "resource",
    "operation",
    "outputMapping",
    "sideEffectLevel",
    "dryRunSupported",
    "operatorApprovedLive",
    "operatorApprovedAt",
    "parameters",
)
# Options of every command that say what its answer shows, unless they are inputs here.
SHAPES = {"fields": "fields", "max-bytes": "max_bytes"}


def option_name(field: str) -> str:
    """The command line option of a field: issue_number -> --issue-number."""
    return "--" + field.replace("_", "-")


def option_names(field: str) -> list[str]:
    """The option of a field and its other names."""
    return [option_name(name) for name in (field, *FIELDS[field].get("aliases", ()))]


def _option_kinds() -> dict[str, str]:
    """The type of every option that a caller may send, whichever command it is for."""
    kinds = {f"--{key}": "string" for key in (*HOST_KEYS, *SHAPES)}
    for field, spec in FIELDS.items():
        kinds.update(dict.fromkeys(option_names(field), spec["type"]))
    return kinds


def command_words() -> Paths:
    """Every path of words that leads to a command, groups included."""
    paths: Paths = set()
    for command in COMMANDS:
        words = command.split(".")
        paths.update(tuple(words[:end]) for end in range(1, len(words) + 1))
    return paths


class Invocation:
    """The parts of one command line."""

    def __init__(self, words: list[str]) -> None:
        self.json = False
        self.verbose = False
        self.help = False
        self.version = False
        self.mode_flag: str | None = None
        self.mode_problem = ""
        self.problem = ""
        self.path: tuple[str, ...] = ()
        self.stray: list[str] = []
        self.options: list[str] = []
        self.shape: dict[str, str] = {}
        self._modes: set[str] = set()
        self._scan([str(word) for word in words])
        self._take_shape()
        if self.mode_flag is not None and len(self._modes) > 1:
            self.mode_problem = "option `--mode` was given with different values"

    @property
    def is_command(self) -> bool:
        return ".".join(self.path) in COMMANDS and (not self.stray or not self.is_group)

    @property
    def is_group(self) -> bool:
        return any(
            len(path) > len(self.path) and path[: len(self.path)] == self.path
            for path in command_words()
        )

    @property
    def command(self) -> str:
        """The dotted id for the envelope: as much of it as is known."""
        return ".".join(self.path) or "unknown"

    def divided_options(self) -> tuple[list[str], list[str]]:
        """The options that are for this command, and the names of those to ignore.

        A workflow keeps the values of the operation that was chosen before and
        sends them too. So an option of another command of this connector, or a
        key of the host, is a leftover; any other option is a mistake.
        """
        spec = COMMANDS.get(self.command, {"options": ()})
        mine = {name for field in spec["options"] for name in option_names(field)}
        leftovers = set(_option_kinds()) - mine
        own, ignored = [], {}
        for word in self.options:
            name, equals, _ = word.partition("=")
            if equals and name in leftovers:
                ignored[name] = True
            else:
                own.append(word)
        return own, list(ignored)

    def _scan(self, words: list[str]) -> None:
        paths = command_words()
        kinds = _option_kinds()
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            following = words[at] if at < len(words) else None
            name, equals, _ = word.partition("=")
            if word == "--":
                self.stray += words[at:]
                break
            if not word.startswith("-") or word == "-":
                self._take_word(word, paths)
            elif name in GLOBAL_FLAGS:
                self._take_flag(name, bool(equals))
            elif name == "--mode":
                at += self._take_mode(word, following)
            elif equals or name not in kinds or following is None:
                whole = not equals and kinds.get(name) == "boolean"
                self.options.append(f"{name}=true" if whole else word)
            elif kinds[name] == "boolean" and not self._is_value(following):
                self.options.append(f"{name}=true")
            else:
                self.options.append(f"{name}={following}")
                self._note_mode(following)
                at += 1

    def _take_word(self, word: str, paths: Paths) -> None:
        if not self.stray and (*self.path, word) in paths:
            self.path = (*self.path, word)
        else:
            self.stray.append(word)

    def _take_shape(self) -> None:
        """Take out the options that say what the answer shows."""
        rest = []
        for word in self.options:
            name, equals, value = word.partition("=")
            key = SHAPES.get(name[2:])
            if key is None or key in FIELDS:
                rest.append(word)
            elif equals:
                self.shape[key] = value
            elif not self.problem:
                self.problem = f"option `{name}` needs a value"
        self.options = rest

    def _take_flag(self, name: str, has_value: bool) -> None:
        setattr(self, name[2:], True)
        if has_value and not self.problem:
            self.problem = f"option `{name}` takes no value"

    def _note_mode(self, word: str) -> None:
        """Remember the mode that a word would set if it stood for itself."""
        name, equals, value = word.partition("=")
        if name == "--mode" and equals:
            self._modes.add(value)

    def _take_mode(self, word: str, following: str | None) -> int:
        _, equals, value = word.partition("=")
        if equals:
            mode = value
        elif following is not None and not following.startswith("-"):
            mode = following
        else:
            self.mode_problem = "option `--mode` needs a value"
            return 0
        self._modes.add(mode)
        if self.mode_flag is None:
            self.mode_flag = mode
        return 0 if equals else 1

    def _is_value(self, word: str) -> bool:
        """Whether the word after a boolean option belongs to the option."""
        if word == "" or word.lower() in BOOLEAN_WORDS:
            return True
        complete = ".".join(self.path) in COMMANDS
        return complete and not word.startswith("-")
