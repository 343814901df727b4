"""Agents: each has an id, a schema and `handle`."""

from __future__ import annotations

from .contract_gen import (
    AugmentorContext,
    HistoryEntry,
    JsonObject,
    Schema,
    check,
    object_schema,
    stream_text,
)


class Guide:
    """Say which command fits a question."""

    id = "guide"
    description = "Say which command of this package fits a question"
    schema: Schema = object_schema(
        {
            "message": {"type": "string", "minLength": 1},
            "history": {"type": "array", "items": {"type": "object"}},
        },
        optional=["history"],
    )

    async def handle(
        self,
        message: str,
        ctx: AugmentorContext,
        *,
        history: list[HistoryEntry] | None = None,
    ) -> JsonObject:
        """Answer one message; `history` has the ones before it."""
        check(self.schema, {"message": message})
        words = message.lower()
        wanted = any(word in words for word in ("outline", "heading", "chapter"))
        command = "outline" if wanted else "stats"
        answer = f"The command `{command}` does that."
        stream_text(ctx, answer)
        return {
            "message": answer,
            "command": command,
            "turn": len(history or []) + 1,
        }
