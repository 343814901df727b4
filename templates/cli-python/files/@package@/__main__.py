"""Start of the program: the version without any import, everything else by `cli`."""

import sys

from .about import TOOL, VERSION


def main() -> None:
    """Run one call and end with its exit code."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"{TOOL} {VERSION}\n")
        return
    from . import signals

    # From here on a signal waits until there is somebody who can answer it.
    signals.watch()
    from .run import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
