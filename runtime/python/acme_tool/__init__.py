"""An agent CLI: one JSON answer for each call, previews and tokens for writes."""
