"""Serves the mock on this machine, for trials without an account."""

from acme_tool._runtime.testkit.mock import main

from . import TOKEN_ALICE, make

if __name__ == "__main__":
    main(make(), TOKEN_ALICE)
