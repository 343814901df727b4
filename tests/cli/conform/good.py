"""A small connector that keeps every promise but those that FAULTS names."""

import json
import os
import sys
import time

from .exchange import exchange, parts_of, quoted

FAULTS = set()
TOOL = "aos-good"
MODES = ["readonly", "write", "full", "admin"]
COMMANDS = {
    "capabilities": "readonly",
    "health": "readonly",
    "config.show": "readonly",
    "item.list": "readonly",
    "item.create": "write",
    "item.delete": "admin",
}
EXITS = {
    "INVALID_USAGE": 2,
    "PERMISSION_DENIED": 3,
    "AUTH_ERROR": 4,
    "BACKEND_UNAVAILABLE": 5,
    "NOT_FOUND": 6,
    "INTERNAL_ERROR": 10,
}
VERSION = "1.2.3"


class Failed(Exception):
    def __init__(self, code, message, details=None):
        super().__init__(message)
        self.code, self.message, self.details = code, message, details or {}


def secret():
    return os.environ.get("GOOD_TOKEN", "")


def scrub(text):
    forms = [secret(), json.dumps(secret())[1:-1], quoted(secret())]
    for form in sorted(filter(None, forms), key=len, reverse=True):
        text = text.replace(form, "[removed]")
    return text


BASE_URL = "https://api.good.example/v1"


def call_upstream(seconds, path="/me", method="GET", body=None):
    base = os.environ.get("GOOD_URL", "") or BASE_URL
    prefix = parts_of(base)[1]
    target = prefix + path
    if "secret-in-url" in FAULTS and path == "/me":
        target += "?token=" + quoted(secret())
    if "health-request" in FAULTS and path == "/me":
        target = prefix + "/items"
    data = json.dumps(body) if body is not None else None
    headers = {"Authorization": "Bearer " + secret(), "Content-Type": "application/json"}
    if "credentials" in FAULTS and path == "/me":
        headers["X-Debug"] = secret()
    try:
        status, _, body = exchange(base, method, target, data, headers, seconds)
    except OSError as error:
        if "backend-down" in FAULTS and path != "/me":
            raise
        raise Failed("BACKEND_UNAVAILABLE", "no upstream: " + str(error))
    if not 200 <= status <= 299:
        said = body[:10_000].decode("utf-8", "replace")
        if status in (401, 403):
            raise Failed("AUTH_ERROR", "refused: " + said, {"status": status})
        if status in (404, 410):
            raise Failed("NOT_FOUND", "not there: " + said, {"status": status})
        if status == 400:
            raise Failed("INVALID_USAGE", "refused: " + said, {"status": status})
        reason = "" if "refusals" in FAULTS else said
        raise Failed("BACKEND_UNAVAILABLE", "it fails: " + reason, {"status": status})
    try:
        return json.loads(body)
    except ValueError:
        kind = "html" if body.startswith(b"<") else "malformed"
        raise Failed("BACKEND_UNAVAILABLE", "the answer is no JSON", {"kind": kind})


def state():
    if not secret():
        if "health-quiet" in FAULTS:
            try:
                call_upstream(1.0)
            except Failed:
                pass
        return "degraded" if "health-needs-setup" in FAULTS else "needs_setup"
    try:
        call_upstream(4.0 if "health-slow" in FAULTS else 1.2)
    except Failed as error:
        status = error.details.get("status")
        mapped = {
            "health-unreachable": (None, "no upstream"),
            "health-401": (401, ""),
            "health-403": (403, ""),
            "health-404": (404, ""),
            "health-429": (429, ""),
            "health-500": (500, ""),
        }
        for fault in FAULTS.intersection(mapped):
            if mapped[fault][0] == status:
                if fault != "health-unreachable" or "refused" in error.message:
                    return "healthy"
        if "health-" + error.details.get("kind", "") in FAULTS and status is None:
            return "healthy"
        return "error" if error.code == "AUTH_ERROR" else "degraded"
    return "degraded" if "health-good" in FAULTS else "healthy"


def health():
    word = state()
    missing = [] if secret() else ["GOOD_TOKEN"]
    checks = [
        {"name": "required_env", "ok": not missing, "details": {"missing_keys": missing}}
    ]
    data = {"status": word, "checks": checks}
    if "health-secrets" in FAULTS and secret():
        checks.append({"name": "key", "ok": True, "details": {"key": secret()[:4] + "***"}})
    if "health-words" in FAULTS and word == "healthy":
        data["status"] = "ready"
    top = {
        "status": "ready" if word == "healthy" else word,
        "runtime_ready": not missing,
        "live_backend_available": word == "healthy",
        "live_read_available": word == "healthy",
        "write_bridge_available": word == "healthy",
        "checks": checks,
    }
    if "first-tag" in FAULTS:
        top = {}  # the first tag knows no keys beside those of the envelope
    if "health-readiness" in FAULTS:
        del top["write_bridge_available"]
    return data, top


def run(words, options):
    command = ".".join(words)
    if command == "capabilities":
        if "capabilities-quiet" in FAULTS and secret():
            call_upstream(1.0)
        if "start-time" in FAULTS:
            time.sleep(4.3)
        entries = [
            {"id": id, "summary": id, "required_mode": mode}
            for id, mode in COMMANDS.items()
            if not ("capabilities-commands" in FAULTS and id == "item.list")
        ]
        modes = MODES if "capabilities-keys" not in FAULTS else MODES[:3]
        return {"tool": TOOL, "version": VERSION, "modes": modes, "commands": entries}, {}
    if command == "health":
        return health()
    if command == "config.show":
        data = {"GOOD_TOKEN": {"set": bool(secret())}}
        if not os.environ.get("GOOD_URL"):
            data["base_url"] = BASE_URL.replace("v1", "v2") if "base-url" in FAULTS else BASE_URL
        if "config-redacted" in FAULTS and secret():
            data["GOOD_TOKEN"]["ends"] = "***" + secret()[-4:]
        if "output-size" in FAULTS:
            data["pad"] = "x" * 1_050_000
        return data, {}
    known = {"dry": bool, "label": str, "count": str, "cursor": str}
    for name, value in options.items():
        if name not in known:
            raise Failed("INVALID_USAGE", "no such option: --" + name)
        if known[name] is bool and value not in (True, "true", "false", ""):
            raise Failed("INVALID_USAGE", "a boolean is true or false")
        if "workflow-boolean" in FAULTS and known[name] is bool and value in ("true", "false"):
            raise Failed("INVALID_USAGE", "--dry takes no value")
        if "workflow-empty" in FAULTS and value == "":
            raise Failed("INVALID_USAGE", "--" + name + " is empty")
    if command == "item.create":
        if "requests" in FAULTS:
            call_upstream(2.0)
        body = {"label": options.get("label") or None}
        if "empty-is-sent" in FAULTS:
            body["label"] = options.get("label")
        if "dry" in options:
            body["dry"] = options["dry"] in (True, "true") or "no-means-yes" in FAULTS
        if body.get("dry") is False or options.get("dry") == "":
            del body["dry"]
        answer = call_upstream(2.0, "/items", "POST", body)
    elif command == "item.delete":
        answer = call_upstream(2.0, "/items/1", "DELETE")
    else:
        cursor = options.get("cursor")
        answer = call_upstream(2.0, "/items" + ("?after=" + cursor if cursor else ""))
    if "commands-work" in FAULTS and command == "item.delete":
        raise Failed("NOT_FOUND", "not there")
    if command != "item.list":
        reply = {"item": answer}
        if "data-keys" in FAULTS and command == "item.create":
            reply["operation"] = "create"
        return reply, {}
    found = answer.get("list", [])
    items = [{"id": str(entry["id"]), "name": entry["title"]} for entry in found]
    following = None if "pages" in FAULTS else answer.get("next")
    more = following is not None
    reply = {"items": items, "entries": found, "next_cursor": following, "has_more": more}
    if answer.get("cut") and "partial-answers" not in FAULTS:
        reply.update(complete=False, incomplete_reason="cut")
    if "lists" in FAULTS:
        del reply["has_more"]
    return reply, {}


def parse(arguments):
    flags = {"json": False, "verbose": False, "version": False, "help": False, "mode": None}
    words, options, rest = [], {}, list(arguments)
    while rest:
        word = rest.pop(0)
        name = word[2:] if word.startswith("--") else ""
        if "flags-after" in FAULTS and name in ("json", "mode") and len(words) > 0:
            if words != ["config"]:
                raise Failed("INVALID_USAGE", "global flags stand before the command")
        if "flags-between" in FAULTS and name == "json" and words == ["config"]:
            raise Failed("INVALID_USAGE", "no flag here")
        if "flags-before" in FAULTS and name == "mode" and rest[1:] == ["config", "show"]:
            raise Failed("INVALID_USAGE", "no flag here")
        if name in ("json", "verbose", "version", "help"):
            flags[name] = True
        elif name == "mode":
            flags["mode"] = rest.pop(0) if rest else ""
        elif name:
            options[name] = rest.pop(0) if rest and not rest[0].startswith("--") else True
        else:
            words.append(word)
    return flags, words, options


def show_help(words):
    names = sorted({id.split(".")[len(words)] for id in COMMANDS
                    if id.split(".")[: len(words)] == words and len(id.split(".")) > len(words)})
    if "commands-listed" in FAULTS and not words:
        names.append("secret-door")
    print("Usage: " + " ".join([TOOL] + words))
    if names:
        print("\nCommands:")
        for name in names:
            print("  " + name + "  Does it")


def gate(command, words, options, flags, chosen):
    needed = COMMANDS[command]
    if "gate" in FAULTS and command == "item.delete" and chosen == "full":
        return
    if "gate-first" in FAULTS and "no-such-option" in options:
        raise Failed("INVALID_USAGE", "no such option")
    if "gate-default" in FAULTS and flags["mode"] is None and not os.environ.get("AOS_MODE"):
        return
    if "gate-admits" in FAULTS and command == "item.create" and chosen == "admin":
        raise Failed("PERMISSION_DENIED", "no", {"required_mode": "write", "actual_mode": "admin"})
    if MODES.index(chosen) < MODES.index(needed):
        details = {"required_mode": needed, "actual_mode": chosen}
        raise Failed("PERMISSION_DENIED", command + " needs the mode " + needed, details)


def main():
    started = time.monotonic()
    arguments = sys.argv[1:]
    command, mode, top, extra = "unknown", "readonly", {}, {}
    is_json = "--json" in arguments
    try:
        flags, words, options = parse(arguments)
        if flags["version"]:
            print("9.9.9" if "version-flag" in FAULTS else TOOL + " " + VERSION)
            return 0
        from_environment = "" if "mode-variable" in FAULTS else os.environ.get("AOS_MODE", "")
        if "bad-mode-variable" in FAULTS and from_environment not in MODES:
            from_environment = ""
        if "mode-variable" in FAULTS and os.environ.get("AOS_MODE") == "nobody":
            from_environment = "nobody"
        chosen = flags["mode"] if flags["mode"] is not None else from_environment or "readonly"
        if chosen not in MODES:
            if "bad-mode" in FAULTS and flags["mode"] is not None:
                print("no such mode", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no mode " + chosen)
        mode = chosen
        if flags["help"]:
            if "commands-exist" in FAULTS and words == ["item", "delete"]:
                return 2
            show_help(words)
            return 0
        if ".".join(words) not in COMMANDS:
            if "unknown-command" in FAULTS:
                print("no such command", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no such command")
        command = ".".join(words)
        gate(command, words, options, flags, chosen)
        if "commands-exist" in FAULTS and command == "item.delete":
            raise Failed("INVALID_USAGE", "there is no such command")
        if command in ("capabilities", "health", "config.show") and options:
            if "unknown-option" in FAULTS:
                print("no such option", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no such option")
        if flags["verbose"] and "verbose-flag" in FAULTS:
            print("some detail")
        data, top = run(words, options)
        envelope = {"ok": True, "tool": TOOL, "command": command, "data": data}
        code = 0
        if "success-keys" in FAULTS and command == "config.show":
            envelope["extra"] = 1
        if "tool-name" in FAULTS and command == "config.show":
            envelope["tool"] = "aos-other"
    except Failed as error:
        code = EXITS[error.code]
        if "exit-codes" in FAULTS and error.code == "BACKEND_UNAVAILABLE":
            code = 1
        details = error.details
        if "error-secrets" in FAULTS and error.code == "INVALID_USAGE":
            details = {"key": secret()[-4:]}
        message = error.message
        if not ("command-secrets" in FAULTS and error.code == "AUTH_ERROR"):
            message = scrub(message)
        envelope = {"ok": False, "tool": TOOL, "command": command,
                    "error": {"code": error.code, "message": message, "details": details}}
        if "error-keys" in FAULTS:
            del envelope["error"]["details"]
        if "command-id" in FAULTS and error.code == "PERMISSION_DENIED":
            envelope["command"] = "unknown"
        if "ok-is-exit-zero" in FAULTS and command == "capabilities":
            code = 0
    except KeyboardInterrupt:
        if "interrupt" in FAULTS:
            raise
        return 130
    envelope["meta"] = {
        "mode": "readonly" if "meta-mode" in FAULTS else mode,
        "duration_ms": int((time.monotonic() - started) * 1000),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": VERSION,
    }
    if "meta" in FAULTS:
        envelope["meta"]["timestamp"] = "yesterday"
    envelope.update(top)
    if "one-document" in FAULTS and command == "config.show":
        print("warning: a note")
    if "rare" in FAULTS and command == "item.delete" and not envelope["ok"] and mode == "admin":
        envelope["error"]["hint"] = "look again"
    if "rare" in FAULTS and command == "item.create" and envelope["ok"]:
        envelope["meta"]["timestamp"] = "2026-03-31T12:00:00+02:00"
    if "rare" in FAULTS and options.get("cursor"):
        print("asking with " + secret(), file=sys.stderr)
    text = json.dumps(envelope) if is_json else json.dumps(envelope.get("data", envelope))
    try:
        print(text, flush=True)
    except BrokenPipeError:
        if "closed-stdout" in FAULTS:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return code
