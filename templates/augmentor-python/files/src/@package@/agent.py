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
    """Recommend a command for a question."""

    id = "guide"
    description = "Recommend a command of this package for a question"
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
        """Answer one message; `history` has the earlier messages."""
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
