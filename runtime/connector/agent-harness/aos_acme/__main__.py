"""Starts the connector: its script, its shim, and `python -m`."""

import sys

from ._runtime.cli import main

if __name__ == "__main__":
    sys.exit(main())
