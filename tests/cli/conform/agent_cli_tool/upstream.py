"""A tiny notes API on loopback: what the tool under test talks to."""

import json
import re
import sys
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qs, urlsplit

ACCOUNTS = {"mock-token-one": "one", "mock-token-two": "two"}
CAP = 3


class Notes:
    """The notes and how they are changed."""

    def __init__(self):
        self.lock = threading.RLock()
        self.notes, self.keys, self.jobs = {}, {}, {}
        for number in range(1, 13):
            self.add(f"Note {number}", f"Body of note {number}")
        self.notes[7]["locked"] = True

    def add(self, title, body):
        """Make a note."""
        number = len(self.notes) + 1
        self.notes[number] = {
            "id": number,
            "title": title,
            "body": body,
            "state": "open",
            "version": 1,
            "updated_at": "2026-03-01T09:00:00+02:00",
        }
        return self.notes[number]

    def answer(self, method, path, query, headers, document):
        """Give the status and the document of an answer."""
        account = ACCOUNTS.get(headers.get("authorization", "").removeprefix("Bearer "))
        if account is None:
            return 401, {"error": "unknown token"}
        with self.lock:
            return self._route(method, path, query, headers, document, account)

    def _route(self, method, path, query, headers, document, account):
        if path == "/account":
            return 200, {"name": account}
        if path == "/notes" and method == "GET":
            after = int(query.get("after", "0"))
            limit = int(query.get("limit", "5"))
            found = [each for each in self.notes.values() if each["id"] > after]
            more = len(found) > limit
            return 200, {"notes": found[:limit], "after": found[limit - 1]["id"] if more else None}
        if path == "/notes" and method == "POST":
            key = headers.get("idempotency-key")
            if key not in self.keys:
                made = self.add(document["title"], document["body"])
                if key is None:
                    return 201, made
                self.keys[key] = made
            return 201, self.keys[key]
        if path == "/archive":
            ids = document["ids"]
            if len(ids) > CAP:
                return 400, {"error": "too many ids"}
            return 200, {"results": {str(each): self._archive(each) for each in ids}}
        if path == "/events":
            return 200, {"events": [{"number": each, "what": f"note {each} made"} for each in self.notes]}
        if path == "/jobs" and method == "POST":
            job = f"job-{len(self.jobs) + 1}"
            self.jobs[job] = "succeeded"
            return 202, {"job": job}
        if found := re.fullmatch("/jobs/([^/]+)", path):
            return (200, {"status": self.jobs[found[1]]}) if found[1] in self.jobs else (404, {})
        if found := re.fullmatch("/shelves/([a-z]+)", path):
            if found[1] == "closed":
                return 403, {"error": "this shelf is closed"}
            return 200, {"notes": len(self.notes)}
        found = re.fullmatch(r"/notes/(\d+)", path)
        note = self.notes.get(int(found[1])) if found else None
        if note is None:
            return 404, {"error": "no such note"}
        if method == "GET":
            return 200, note
        if headers.get("if-match") != str(note["version"]):
            return 409, {"error": "another version"}
        if method == "DELETE":
            return 200, self.notes.pop(note["id"])
        note.update(title=document.get("title", note["title"]), version=note["version"] + 1)
        return 200, note

    def _archive(self, number):
        note = self.notes.get(number)
        if note is None:
            return 404
        if note.get("locked"):
            return 403
        note.update(state="archived", version=note["version"] + 1)
        return 200


class Handler(StreamRequestHandler):
    """HTTP around the notes; the server of the standard library takes longer to load than a probe to run."""

    notes = Notes()

    def handle(self):
        """Answer one request."""
        words = self.rfile.readline(65536).decode("latin-1").split()
        if len(words) != 3:
            return
        method, target, _ = words
        headers = {}
        while field := self.rfile.readline(65536).decode("latin-1").strip():
            name, _, value = field.partition(":")
            headers[name.lower()] = value.strip()
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        document = json.loads(self.rfile.read(int(headers.get("content-length") or 0)) or "{}")
        status, answer = self.notes.answer(method, parts.path, query, headers, document)
        content = json.dumps(answer).encode()
        head = f"HTTP/1.0 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        self.wfile.write(head.encode() + content)


class Server(ThreadingTCPServer):
    """Listens again at once, and leaves nobody behind."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
