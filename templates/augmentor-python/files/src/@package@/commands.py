"""Commands: each has a name, a schema and `run`."""

from __future__ import annotations

import re
from pathlib import Path

from .contract_gen import (
    AugmentorContext,
    AugmentorError,
    JsonObject,
    Schema,
    check,
    object_schema,
    stream_event,
)

# The maximum size of a document.
LARGEST_FILE = 1024 * 1024
HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*")


class Stats:
    """Count the lines, words and characters of a text."""

    name = "stats"
    description = "Count lines, words and characters of a text"
    schema: Schema = object_schema(
        {"text": {"type": "string", "minLength": 1, "maxLength": 100_000}},
    )

    async def run(self, args: JsonObject, ctx: AugmentorContext) -> JsonObject:
        """Check the arguments, because not every host does that, and count."""
        text: str = check(self.schema, args)["text"]
        return {
            "lines": text.count("\n") + 1,
            "words": len(text.split()),
            "characters": len(text),
        }


class Outline:
    """List the headings of a Markdown file of the workspace."""

    name = "outline"
    description = "List the headings of a Markdown file in the workspace"
    schema: Schema = object_schema(
        {
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "Path of the file, relative to the workspace",
            },
            "levels": {
                "type": "integer",
                "minimum": 1,
                "maximum": 6,
                "default": 6,
                "description": "Deepest level of heading to list",
            },
        },
        optional=["levels"],
    )

    async def run(self, args: JsonObject, ctx: AugmentorContext) -> JsonObject:
        """Stream each heading as it is found; the result has them all."""
        args = check(self.schema, args)
        text = read_file(Path(ctx["cwd"]), args["path"])
        headings = []
        for level, title in headings_of(text):
            if level <= args.get("levels", 6):
                headings.append({"level": level, "title": title})
                stream_event(ctx, headings[-1])
        return {"path": args["path"], "headings": headings}


def headings_of(text: str) -> list[tuple[int, str]]:
    """Find the headings of a Markdown text, outside of fenced code."""
    found = []
    fenced = False
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        match = HEADING.fullmatch(line.rstrip("\r"))
        if match and not fenced:
            found.append((len(match[1]), match[2]))
    return found


def read_file(workspace: Path, name: str) -> str:
    """Read a text file that is inside the workspace."""
    root = workspace.resolve()
    file = (root / name).resolve()
    if not file.is_relative_to(root):
        raise AugmentorError(
            "outside_workspace",
            f"`{name}` is not inside the workspace",
            {"path": name},
        )
    if not file.is_file():
        raise AugmentorError("not_found", f"there is no file `{name}`", {"path": name})
    if file.stat().st_size > LARGEST_FILE:
        raise AugmentorError(
            "too_large",
            f"`{name}` is larger than {LARGEST_FILE} bytes",
            {"path": name},
        )
    return file.read_text(encoding="utf-8", errors="replace")
