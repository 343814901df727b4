"""The inputs and expected answers that the runtimes of all languages share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def fixture(name: str) -> Any:
    """Read a file of the directory `fixtures` above."""
    for directory in Path(__file__).resolve().parents:
        path = directory / "fixtures" / name
        if path.is_file():
            return json.loads(path.read_text(encoding="utf-8"))
    raise FileNotFoundError(name)
