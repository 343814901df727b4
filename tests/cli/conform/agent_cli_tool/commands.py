"""Every command with its parameters and the schema of its answer, and `reference`."""

from about import changelog, context, doctor
from basis import CODES, EXITS, TOOL, VERSION
from faults import FAULTS
from notes import (
    note_archive,
    note_create,
    note_delete,
    note_get,
    note_list,
    note_print,
    note_publish,
    note_update,
    note_watch,
    report_result,
    report_start,
    report_status,
    shelf_overview,
)
from schemas import SCHEMAS
from update import update


def param(name, kind="string", required=False, **more):
    """Describe a parameter."""
    return {"name": name, "type": kind, "required": required, "multiple": name in ("ids", "shelves"), **more}


def read(path, run, schema, *params, **more):
    """Describe a query."""
    sample = " ".join(f"--{each['name']} 1" for each in params if each["required"])
    return {"path": path, "run": run, "type": "query", "description": (run.__doc__ or path), "output_schema": schema,
            "params": [*params, param("fields")], "examples": [f"ledger {path} {sample}".strip()], **more}


def write(path, run, schema, *params, **more):
    """Describe a write."""
    sample = " ".join(f"--{each['name']} 1" for each in params if each["required"])
    danger = " --dangerous" if more.get("dangerous") else ""
    gated = [param("dry-run", "boolean"), param("confirm")] + ([param("dangerous", "boolean")] if danger else [])
    base = f"ledger {path} {sample}".strip() + danger
    return {"path": path, "run": run, "type": "write", "confirm": "always", "description": (run.__doc__ or path),
            "output_schema": schema, "params": [*params, *gated],
            "examples": [f"{base} --dry-run", f"{base} --confirm ct_TOKEN"], **more}


def reference(_options):
    """Describe this tool."""
    commands = [{name: value for name, value in each.items() if name != "run"} for each in COMMANDS]
    exits = dict(EXITS)
    if "reference" in FAULTS:
        exits.pop("130")
    if "reference-commands" in FAULTS:
        commands[0] = {**commands[0], "output_schema": "nothing"}
    if "examples" in FAULTS:
        commands[1] = {**commands[1], "examples": ["ledger note get --id 1 --trace"]}
    if "examples-parse" in FAULTS:
        commands[7] = {**commands[7], "examples": [each.replace("--ids 1", "--ids one") for each in commands[7]["examples"]]}
    readiness = {"level": "beta", "fcc_status": "verified", "mock_upstream_status": "verified",
                 "live_smoke_status": "missing", "required_evidence": ["none yet"]}
    if "readiness" in FAULTS:
        readiness["fcc_status"] = "done"
    codes = {name: {"exit": number, "retryable": again} for name, (number, again) in CODES.items()}
    if "codes-listed" in FAULTS:
        codes.pop("E_NOT_FOUND")
    if "command-types" in FAULTS:
        commands[14] = {**commands[14], "type": "read"}
    able = ["batch", "credentials", "dangerous", "human_action", "jobs", "lists", "scopes", "streams", "update",
            "upstream", "writes"]
    if "capabilities" in FAULTS:
        able.append("levitation")
    from hashlib import sha256

    import contract_gen

    digest = sha256(contract_gen.contract_text().encode()).hexdigest()
    if "contract-digest" in FAULTS:
        digest = sha256(b"another contract").hexdigest()
    schemas = dict(SCHEMAS)
    if "field-kinds" in FAULTS:
        schemas["note"] = {**schemas["note"], "kinds": ["id: id", "state: count"]}
    return {"tool": TOOL, "version": VERSION, "contract": {"tag": contract_gen.SPEC_TAG, "digest": f"sha256:{digest}"},
            "capabilities": able, "risk_tier": "T2", "release_readiness": readiness,
            "commands": commands, "schemas": schemas, "exit_codes": exits, "error_codes": codes}


ID = param("id", required=True)
COMMANDS = [
    read("note list", note_list, "notes", param("limit", "integer", default="9" if "rare-default" in FAULTS else "5"), param("cursor"),
         param("state", values=["open", "archived"]), param("query")),
    read("note get", note_get, "note", ID),
    read("note print", note_print, "text", ID, formats=["json", "text", "raw"]),
    read("note watch", note_watch, "event", stream=True),
    write("note create", note_create, "note", param("title", required=True), param("body"), param("idempotency-key")),
    write("note update", note_update, "note", ID, param("title", required=True)),
    write("note delete", note_delete, "deleted", ID, dangerous=True),
    write("note archive", note_archive, "batch", param("ids", "list", True), param("continue-on-error"),
          batch=True),
    write("note publish", note_publish, "note", ID),
    read("shelf overview", shelf_overview, "shelves", param("shelves", "list", True)),
    write("report start", report_start, "job"),
    read("report status", report_status, "job", ID),
    read("report result", report_result, "lines", ID),
    read("reference", reference, "reference"),
    read("context", context, "context"),
    read("doctor", doctor, "doctor"),
    read("changelog", changelog, "changelog", param("since")),
    {"path": "update", "run": update, "type": "write", "confirm": "exempt", "description": update.__doc__,
     "output_schema": "update", "examples": ["ledger update"],
     "params": [param("check", "boolean"), param("dry-run", "boolean"), param("target-version"),
                *([param("confirm")] if "update-shape" in FAULTS else [])]},
]
