"""Start of the program: the version without any import, everything else by `cli`."""

import os
import sys

from .about import TOOL, VERSION


def main() -> None:
    """Run one call and end with its exit code."""
    if sys.argv[1:] == ["--version"]:
        try:
            os.write(1, f"{TOOL} {VERSION}\n".encode())
        except BrokenPipeError:
            return
        except OSError as error:
            sys.exit(f"error: stdout cannot be written: {error.strerror} (E_IO)")
        return
    from . import signals

    # From here on a signal waits until there is somebody who can answer it.
    signals.watch()
    from .run import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
