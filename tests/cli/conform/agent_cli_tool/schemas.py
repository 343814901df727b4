"""What the answers of the commands hold."""

from faults import FAULTS

NOTE = ["id", "title", "body", "state", "updated_at", "_untrusted"]


def schema(*fields, untrusted=()):
    """Describe an answer."""
    return {"shape": "object", "fields": list(fields), "untrusted_fields": list(untrusted)}


SCHEMAS = {
    "note": schema(*NOTE, untrusted=("title", "body")),
    "notes": schema("items", "count", "next_cursor", "has_more", untrusted=("items",)),
    "deleted": schema("id", "state"),
    "batch": schema("items", "summary"),
    "event": schema("number", "what", "count", "_untrusted", untrusted=("what",)),
    "shelves": schema("scope", "shelves", "shelf_errors"),
    "text": schema("text", "_untrusted", untrusted=("text",)),
    "job": schema("job_id", "status", "poll", "result"),
    "lines": schema("job_id", "lines"),
    "reference": schema("tool", "version", "contract", "capabilities", "risk_tier", "release_readiness", "commands", "schemas", "exit_codes",
                        "error_codes"),
    "context": schema("version", "config", "credentials", "notices"),
    "doctor": schema("checks"),
    "changelog": schema("current_version", "since", "entries"),
    "update": schema("status", "previous_version", "current_version", "target_version", "update_available",
                     "signature_verified", "signature_status", "checksum_verified", "skill_sync_status", "install_method",
                     "command", "next_step", *(["confirm_token"] if "update-dry-run" in FAULTS else [])),
}
