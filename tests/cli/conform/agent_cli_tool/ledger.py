"""An agent CLI that keeps its contract, or breaks rules of it: `faults.py` names them."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from basis import CODES, TOOL, VERSION, Failure  # noqa: E402
from commands import COMMANDS  # noqa: E402
from faults import FAULTS  # noqa: E402
from output import failed, finish, kept  # noqa: E402

GLOBAL = {"format": "string", "json": "boolean", "compact": "boolean", "quiet": "boolean", "help": "boolean",
          "version": "boolean"}


def parse(words):
    """Give the command and its options."""
    options, rest = {}, []
    words = list(words)
    kinds = dict(GLOBAL)
    if "examples" in FAULTS:
        kinds["trace"] = "boolean"
    path, command = [], None
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            if command is None:
                path.append(word)
                command = next((each for each in COMMANDS if each["path"] == " ".join(path)), None)
                if command:
                    kinds.update({each["name"]: each["type"] for each in command["params"]})
                elif not any(each["path"].startswith(" ".join(path) + " ") for each in COMMANDS):
                    raise Failure("E_USAGE", f"there is no command `{' '.join(path)}`")
            else:
                rest.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if name not in kinds:
            raise Failure("E_USAGE", f"there is no option `--{name}`")
        if kinds[name] == "boolean":
            options[name] = True
            continue
        if not equals:
            if not words:
                raise Failure("E_USAGE", f"`--{name}` needs a value")
            value = words.pop(0)
        options[name] = f"{options[name]},{value}" if kinds[name] == "list" and name in options else value
    if rest and "usage" not in FAULTS:
        raise Failure("E_USAGE", f"`{rest[0]}` is one word too many")
    if options.get("format", "json") not in ("json", "text", "raw"):
        raise Failure("E_VALIDATION", "--format is json, text or raw")
    if options.get("format") == "raw" and "format-raw" not in FAULTS and (command is None or command["path"] != "note print"):
        raise Failure("E_USAGE", "only `note print` has the format raw")
    return command, options


def main(words):
    """Run one command; give its exit."""
    is_text = "--format text" in " ".join(words)
    options, command = {"compact": "--compact" in words, "format": "text" if is_text else "json"}, None
    try:
        command, options = parse(words)
        if "version" in options:
            print(f"{TOOL} {VERSION}")
            return 0
        if "help" in options:
            if "version-and-help" in FAULTS and command and command["path"] == "note print":
                raise Failure("E_USAGE", "this command has no help")
            print(help_of(command))
            return 0
        if command is None:
            raise Failure("E_USAGE", "no command was given; see reference")
        missing = [each["name"] for each in command["params"] if each["required"] and not options.get(each["name"])]
        if "no-prompt" in FAULTS and missing and command["path"] == "note print":
            time.sleep(600)
        if missing:
            raise Failure("E_VALIDATION", f"`--{missing[0]}` is needed")
        data = command["run"](options)
        if data is None:
            return 0
        answer = {"ok": True, "schema_version": "1.0", "data": kept(data, options, command)}
        number = 0
    except Failure as failure:
        answer, number = failed(failure.code, failure.message, failure.details), CODES[failure.code][0]
    except KeyboardInterrupt as stop:
        answer, number = failed("E_INTERRUPTED", "a signal came", {}), 130
        if stops_wrongly(command, *stop.args):
            number = 1
    except ValueError:
        answer, number = failed("E_UNKNOWN", "a fault of this program", {}), 1
    finish(answer, number, command, options, words)
    if "ok-equals-exit" in FAULTS and number == 0 and command["path"] == "changelog":
        return 3
    return number


def stops_wrongly(command, number):
    """Tell whether this signal during this command is one of the faults."""
    import signal

    if command is None or command["path"] == "note get":
        return "interrupt" in FAULTS and number == signal.SIGINT
    return "interrupt-reads" in FAULTS if command["type"] == "query" else "interrupt-write" in FAULTS


def help_of(command):
    """Give help for people."""
    if command is None:
        shown = [each for each in COMMANDS if "help-lists" not in FAULTS or each["path"] != "note print"]
        lines = [f"  {each['path']:16}{each['description']}" for each in shown]
        return "Commands:\n" + "\n".join(lines)
    return "Options:\n" + "\n".join(f"  --{each['name']}" for each in command["params"])


def interrupt(number, _frame):
    """Turn a signal into an answer."""
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    # The module `signal` wraps this one, and takes ten times as long to load.
    import _signal

    _signal.signal(_signal.SIGINT, interrupt)
    is_deaf = "update-terminate" in FAULTS if "update" in sys.argv else "terminate" in FAULTS
    if not is_deaf:
        _signal.signal(_signal.SIGTERM, interrupt)
    sys.exit(main(sys.argv[1:]))
