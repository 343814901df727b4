"""The command line: scan, gate, parse, run, report. In this order, always.

Nothing may leave `main` but an exit code. Whatever happens becomes one
envelope (with --json) or one readable text. Imports are inside the functions:
a start stays fast, and an interrupt during an import is caught as well.
"""

from __future__ import annotations

import sys

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import ConnectorError
    from .inputs import Inputs
    from .invocation import Invocation
    from .output import Result, Run


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        return _main(words)
    except KeyboardInterrupt:
        _ignore_interrupts()
        from .errors import InternalError
        from .output import Run, finish

        run = Run()
        run.json = "--json" in words
        return finish(run, InternalError("interrupted"))


def _main(words: list[str]) -> int:
    from .errors import ConnectorError, InternalError
    from .output import Run, finish

    run = Run()
    run.json = "--json" in words
    outcome: Result | ConnectorError
    try:
        outcome = execute(run, words)
    except ConnectorError as error:
        outcome = error
    except KeyboardInterrupt:
        _ignore_interrupts()
        outcome = InternalError("interrupted")
    except ImportError as error:
        outcome = _not_installed(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        outcome = _unexpected(error)
    return finish(run, outcome)


def execute(run: Run, words: list[str]) -> Result:
    """Carry out a command line and return the result."""
    from . import config
    from .errors import InvalidUsage
    from .invocation import Invocation

    call = Invocation(words)
    run.json, run.verbose, run.command = call.json, call.verbose, call.command
    bad_mode = None
    try:
        run.mode = config.mode(call.mode_flag)
    except InvalidUsage as error:
        bad_mode = error
    asks_about = not call.problem and (call.is_command or not call.stray)
    if call.help and asks_about:
        return _help(run, call)
    if call.version and asks_about:
        return _version(run, call)
    if bad_mode or call.mode_problem:
        raise bad_mode or InvalidUsage(call.mode_problem)
    check_permission(run, call)
    return carry_out(run, call, read_inputs(call))


def check_permission(run: Run, call: Invocation) -> None:
    """Refuse a command that needs a higher mode. Nothing else is looked at."""
    from ..contract_gen import COMMANDS, MODES
    from .errors import permission_denied

    if call.is_command:
        required = COMMANDS[call.command]["required_mode"]
        if MODES.index(run.mode) < MODES.index(required):
            raise permission_denied(required, run.mode)


def read_inputs(call: Invocation) -> Inputs:
    """Parse the options of a command that may run."""
    from ..contract_gen import COMMANDS
    from .errors import InvalidUsage
    from .inputs import Inputs, read
    from .invocation import option_name

    if call.problem:
        raise InvalidUsage(call.problem)
    if not call.is_command:
        from .options import unknown_command

        raise unknown_command(call.path, call.stray)
    texts = {}
    own, _ = call.divided_options()
    if own:
        from .options import parse

        texts = parse(call.command, own)
    if call.stray:
        from .redaction import quote

        options = [option_name(field) for field in COMMANDS[call.command]["options"]]
        raise InvalidUsage(
            f"unexpected argument `{quote(call.stray[0])}`",
            {"options": options},
            hint=(
                "inputs are options only: put the value after its option"
                if options
                else "this command takes no inputs"
            ),
        )
    if not COMMANDS[call.command]["options"]:
        return Inputs()
    return read(call.command, texts)


def carry_out(run: Run, call: Invocation, inputs: Inputs) -> Result:
    """Run the handler; what it prints goes to stderr."""
    from ..contract_gen import REQUIRED_COMMANDS
    from .operations import Api
    from .output import Result
    from .redaction import ScrubbedStream, note
    from .registry import handler
    from .selection import selection

    wanted = selection(call.command, call.shape)
    function = handler(call.command)
    stream = ScrubbedStream()
    saved = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = stream
    try:
        api = Api(note if run.verbose else None, selection=wanted)
        api.mode = run.mode
        data = function(inputs, api)
        if isinstance(data, dict):
            data = api.marked(wanted.apply(data))
            if not run.json:
                data = wanted.for_people(data)
        if inputs.sources and isinstance(data, dict):
            data = {**data, "inputs_read": list(inputs.sources)}
    finally:
        sys.stdout, sys.stderr = saved
        stream.close()
    _, ignored = call.divided_options()
    if ignored and isinstance(data, dict):
        data = {**data, "ignored_options": ignored}
    extra = {}
    if call.command == "health":
        from .health import envelope_keys

        extra = envelope_keys(data)
    elif call.command == "doctor":
        from .doctor import envelope_keys

        extra = envelope_keys(data)
    # Members of built-in commands that the host reads are never cut by default.
    is_cut = wanted.is_limited or call.command not in REQUIRED_COMMANDS
    return Result(data, extra, limit=wanted.limit if is_cut else 0)


def _help(run: Run, call: Invocation) -> Result:
    from .options import help_text
    from .output import Result

    if not call.path:
        run.command = "help"
    text = help_text(call.path)
    return Result({"help": text}, text=text)


def _version(run: Run, call: Invocation) -> Result:
    from .. import __version__
    from ..contract_gen import TOOL
    from .output import Result

    if not call.path:
        run.command = "version"
    return Result({"tool": TOOL, "version": __version__}, text=f"{TOOL} {__version__}")


def _ignore_interrupts() -> None:
    """Write the envelope of an interrupted run, whatever interrupts it again."""
    import signal

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread
        pass


def _not_installed(error: ImportError) -> ConnectorError:
    from .errors import InternalError
    from .readiness import REQUIRES, install_command

    if error.name not in REQUIRES:
        return _unexpected(error)
    told = f"the package {error.name} is not installed"
    return InternalError(told, hint=f"run `{install_command()}`")


def _unexpected(error: BaseException) -> ConnectorError:
    from .errors import unexpected

    return unexpected(error)
