"""The keys of a credential: one, or several for an API that takes them at once."""

from __future__ import annotations

from collections.abc import Sequence

from .. import config


def keys_of(token: str) -> dict[str, str]:
    """Split a token into the variables that hold it, without the prefix of the tool.

    An API that takes several keys at once has a token of one line `NAME=KEY` for each
    key; any other token is the key itself.
    """
    if "\n" not in token:
        return {"TOKEN": token}
    pairs = (line.partition("=") for line in token.split("\n"))
    return {name: key for name, _, key in pairs}


def variables(keys: Sequence[str]) -> str:
    """Name the variables of a credential with these keys, for a message."""
    return " and ".join(map(config.env, keys)) if keys else config.TOKEN
