"""Manifest, modes and health."""

import json
from pathlib import Path

from cli_aos.parcel import config

MODES = ["readonly", "write", "full", "admin"]
ROOT = Path(__file__).resolve().parents[3]
MANIFEST_PATH = ROOT / "connector.json"
PERMISSIONS_PATH = Path(__file__).resolve().parents[2] / "permissions.json"


def manifest():
    return json.loads(MANIFEST_PATH.read_text(encoding="utf-8"))


def required_mode(command):
    permissions = json.loads(PERMISSIONS_PATH.read_text())   # id to mode
    return permissions["permissions"].get(command, "admin")


def allowed(command, mode):
    return MODES.index(mode) >= MODES.index(required_mode(command))


def health():
    # The host asks for this every minute.
    ok = bool(config.token())
    return {
        "status": "ready" if ok else "needs_setup",
        "missing": [] if ok else ["PARCEL_TOKEN"],
    }


def doctor():
    state = health()
    return {"usable": state["status"] == "ready"}
