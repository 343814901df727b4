"""A small connector that keeps every promise, or breaks the one that FAULT names."""

import json
import os
import sys
import time

FAULT = ""
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
    import urllib.parse

    forms = [secret(), json.dumps(secret())[1:-1], urllib.parse.quote(secret(), safe="")]
    for form in sorted(filter(None, forms), key=len, reverse=True):
        text = text.replace(form, "[removed]")
    return text


BASE_URL = "https://api.good.example/v1"


def call_upstream(seconds, path="/me", method="GET", body=None):
    # Most calls need no network, and this takes longer to load than all the rest.
    import urllib.error
    import urllib.parse
    import urllib.request

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    base = os.environ.get("GOOD_URL", "") or BASE_URL
    address = base + path
    if FAULT == "secret-in-url" and path == "/me":
        address += "?token=" + urllib.parse.quote(secret(), safe="")
    if FAULT == "health-request" and path == "/me":
        address = base + "/items"
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(address, data, method=method)
    request.add_header("Authorization", "Bearer " + secret())
    request.add_header("Content-Type", "application/json")
    if FAULT == "credentials" and path == "/me":
        request.add_header("X-Debug", secret())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay)
    try:
        with opener.open(request, timeout=seconds) as answer:
            body = answer.read(1_000_000)
    except urllib.error.HTTPError as error:
        said = error.read(10_000).decode("utf-8", "replace")
        status = error.code
        if status in (401, 403):
            raise Failed("AUTH_ERROR", "refused: " + said, {"status": status})
        if status in (404, 410):
            raise Failed("NOT_FOUND", "not there: " + said, {"status": status})
        if status == 400:
            raise Failed("INVALID_USAGE", "refused: " + said, {"status": status})
        reason = "" if FAULT == "refusals" else said
        raise Failed("BACKEND_UNAVAILABLE", "it fails: " + reason, {"status": status})
    except OSError as error:
        if FAULT == "backend-down" and path != "/me":
            raise
        raise Failed("BACKEND_UNAVAILABLE", "no upstream: " + str(error))
    try:
        return json.loads(body)
    except ValueError:
        kind = "html" if body.startswith(b"<") else "malformed"
        raise Failed("BACKEND_UNAVAILABLE", "the answer is no JSON", {"kind": kind})


def state():
    if not secret():
        if FAULT == "health-quiet":
            try:
                call_upstream(1.0)
            except Failed:
                pass
        return "degraded" if FAULT == "health-needs-setup" else "needs_setup"
    try:
        call_upstream(4.0 if FAULT == "health-slow" else 1.2)
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
        if FAULT in mapped and mapped[FAULT][0] == status:
            if FAULT != "health-unreachable" or "refused" in error.message:
                return "healthy"
        if FAULT in ("health-html", "health-malformed") and status is None:
            return "healthy" if FAULT == "health-" + error.details.get("kind", "") else "degraded"
        return "error" if error.code == "AUTH_ERROR" else "degraded"
    return "degraded" if FAULT == "health-good" else "healthy"


def health():
    word = state()
    missing = [] if secret() else ["GOOD_TOKEN"]
    checks = [
        {"name": "required_env", "ok": not missing, "details": {"missing_keys": missing}}
    ]
    data = {"status": word, "checks": checks}
    if FAULT == "health-secrets" and secret():
        checks.append({"name": "key", "ok": True, "details": {"key": secret()[:4] + "***"}})
    if FAULT == "health-words" and word == "healthy":
        data["status"] = "ready"
    top = {
        "status": "ready" if word == "healthy" else word,
        "runtime_ready": not missing,
        "live_backend_available": word == "healthy",
        "live_read_available": word == "healthy",
        "write_bridge_available": word == "healthy",
        "checks": checks,
    }
    if FAULT == "first-tag":
        top = {}  # the first tag knows no keys beside those of the envelope
    if FAULT == "health-readiness":
        del top["write_bridge_available"]
    return data, top


def run(words, options):
    command = ".".join(words)
    if command == "capabilities":
        if FAULT == "capabilities-quiet" and secret():
            call_upstream(1.0)
        if FAULT == "start-time":
            time.sleep(4.3)
        entries = [
            {"id": id, "summary": id, "required_mode": mode}
            for id, mode in COMMANDS.items()
            if not (FAULT == "capabilities-commands" and id == "item.list")
        ]
        modes = MODES if FAULT != "capabilities-keys" else MODES[:3]
        return {"tool": TOOL, "version": VERSION, "modes": modes, "commands": entries}, {}
    if command == "health":
        return health()
    if command == "config.show":
        data = {"GOOD_TOKEN": {"set": bool(secret())}}
        if not os.environ.get("GOOD_URL"):
            data["base_url"] = BASE_URL.replace("v1", "v2") if FAULT == "base-url" else BASE_URL
        if FAULT == "config-redacted" and secret():
            data["GOOD_TOKEN"]["ends"] = "***" + secret()[-4:]
        if FAULT == "output-size":
            data["pad"] = "x" * 1_050_000
        return data, {}
    known = {"dry": bool, "label": str, "count": str, "cursor": str}
    for name, value in options.items():
        if name not in known:
            raise Failed("INVALID_USAGE", "no such option: --" + name)
        if known[name] is bool and value not in (True, "true", "false", ""):
            raise Failed("INVALID_USAGE", "a boolean is true or false")
        if FAULT == "workflow-boolean" and known[name] is bool and value in ("true", "false"):
            raise Failed("INVALID_USAGE", "--dry takes no value")
        if FAULT == "workflow-empty" and value == "":
            raise Failed("INVALID_USAGE", "--" + name + " is empty")
    if command == "item.create":
        if FAULT == "requests":
            call_upstream(2.0)
        answer = call_upstream(2.0, "/items", "POST", {"label": options.get("label")})
    elif command == "item.delete":
        answer = call_upstream(2.0, "/items/1", "DELETE")
    else:
        cursor = options.get("cursor")
        answer = call_upstream(2.0, "/items" + ("?after=" + cursor if cursor else ""))
    if FAULT == "commands-work" and command == "item.delete":
        raise Failed("NOT_FOUND", "not there")
    if command != "item.list":
        reply = {"item": answer}
        if FAULT == "data-keys" and command == "item.create":
            reply["operation"] = "create"
        return reply, {}
    found = answer.get("list", [])
    items = [{"id": str(entry["id"]), "name": entry["title"]} for entry in found]
    following = None if FAULT == "pages" else answer.get("next")
    more = following is not None
    reply = {"items": items, "entries": found, "next_cursor": following, "has_more": more}
    if answer.get("cut") and FAULT != "partial-answers":
        reply.update(complete=False, incomplete_reason="cut")
    if FAULT == "lists":
        del reply["has_more"]
    return reply, {}


def parse(arguments):
    flags = {"json": False, "verbose": False, "version": False, "help": False, "mode": None}
    words, options, rest = [], {}, list(arguments)
    while rest:
        word = rest.pop(0)
        name = word[2:] if word.startswith("--") else ""
        if FAULT == "flags-after" and name in ("json", "mode") and len(words) > 0:
            if words != ["config"]:
                raise Failed("INVALID_USAGE", "global flags stand before the command")
        if FAULT == "flags-between" and name == "json" and words == ["config"]:
            raise Failed("INVALID_USAGE", "no flag here")
        if FAULT == "flags-before" and name == "mode" and rest[1:] == ["config", "show"]:
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
    if FAULT == "commands-listed" and not words:
        names.append("secret-door")
    print("Usage: " + " ".join([TOOL] + words))
    if names:
        print("\nCommands:")
        for name in names:
            print("  " + name + "  Does it")


def gate(command, words, options, flags, chosen):
    needed = COMMANDS[command]
    if FAULT == "gate" and command == "item.delete" and chosen == "full":
        return
    if FAULT == "gate-first" and "no-such-option" in options:
        raise Failed("INVALID_USAGE", "no such option")
    if FAULT == "gate-default" and flags["mode"] is None and not os.environ.get("AOS_MODE"):
        return
    if FAULT == "gate-admits" and command == "item.create" and chosen == "admin":
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
            print("9.9.9" if FAULT == "version-flag" else TOOL + " " + VERSION)
            return 0
        from_environment = "" if FAULT == "mode-variable" else os.environ.get("AOS_MODE", "")
        if FAULT == "bad-mode-variable" and from_environment not in MODES:
            from_environment = ""
        if FAULT == "mode-variable" and os.environ.get("AOS_MODE") == "nobody":
            from_environment = "nobody"
        chosen = flags["mode"] if flags["mode"] is not None else from_environment or "readonly"
        if chosen not in MODES:
            if FAULT == "bad-mode" and flags["mode"] is not None:
                print("no such mode", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no mode " + chosen)
        mode = chosen
        if flags["help"]:
            if FAULT == "commands-exist" and words == ["item", "delete"]:
                return 2
            show_help(words)
            return 0
        if ".".join(words) not in COMMANDS:
            if FAULT == "unknown-command":
                print("no such command", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no such command")
        command = ".".join(words)
        gate(command, words, options, flags, chosen)
        if FAULT == "commands-exist" and command == "item.delete":
            raise Failed("INVALID_USAGE", "there is no such command")
        if command in ("capabilities", "health", "config.show") and options:
            if FAULT == "unknown-option":
                print("no such option", file=sys.stderr)
                return 2
            raise Failed("INVALID_USAGE", "there is no such option")
        if flags["verbose"] and FAULT == "verbose-flag":
            print("some detail")
        data, top = run(words, options)
        envelope = {"ok": True, "tool": TOOL, "command": command, "data": data}
        code = 0
        if FAULT == "success-keys" and command == "config.show":
            envelope["extra"] = 1
        if FAULT == "tool-name" and command == "config.show":
            envelope["tool"] = "aos-other"
    except Failed as error:
        code = EXITS[error.code]
        if FAULT == "exit-codes" and error.code == "BACKEND_UNAVAILABLE":
            code = 1
        details = error.details
        if FAULT == "error-secrets" and error.code == "INVALID_USAGE":
            details = {"key": secret()[-4:]}
        message = error.message
        if not (FAULT == "command-secrets" and error.code == "AUTH_ERROR"):
            message = scrub(message)
        envelope = {"ok": False, "tool": TOOL, "command": command,
                    "error": {"code": error.code, "message": message, "details": details}}
        if FAULT == "error-keys":
            del envelope["error"]["details"]
        if FAULT == "command-id" and error.code == "PERMISSION_DENIED":
            envelope["command"] = "unknown"
        if FAULT == "ok-is-exit-zero" and command == "capabilities":
            code = 0
    except KeyboardInterrupt:
        if FAULT == "interrupt":
            raise
        return 130
    envelope["meta"] = {
        "mode": "readonly" if FAULT == "meta-mode" else mode,
        "duration_ms": int((time.monotonic() - started) * 1000),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": VERSION,
    }
    if FAULT == "meta":
        envelope["meta"]["timestamp"] = "yesterday"
    envelope.update(top)
    if FAULT == "one-document" and command == "config.show":
        print("warning: a note")
    if FAULT == "rare" and command == "item.delete" and not envelope["ok"] and mode == "admin":
        envelope["error"]["hint"] = "look again"
    if FAULT == "rare" and command == "item.create" and envelope["ok"]:
        envelope["meta"]["timestamp"] = "2026-03-31T12:00:00+02:00"
    if FAULT == "rare" and options.get("cursor"):
        print("asking with " + secret(), file=sys.stderr)
    text = json.dumps(envelope) if is_json else json.dumps(envelope.get("data", envelope))
    try:
        print(text, flush=True)
    except BrokenPipeError:
        if FAULT == "closed-stdout":
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return code
