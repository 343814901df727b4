"""Runs one Python augmentor as a child process: requests and answers are lines of JSON.

`python -I -u runner.py [--reply-fd N]`; standard library only, Python 3.10 or newer. It reports
facts and judges nothing but what it must refuse itself. values.py, package.py and observe.py are
beside this file. docs/augmentor-runner.md describes the messages.
"""

import asyncio
import contextlib
import importlib.util
import inspect
import io
import json
import os
import sys
import threading
import time
from pathlib import Path

PROTOCOL = 1
MESSAGE_BYTES = 1048576
CHUNKS = 10000
SHUTDOWN_SECONDS = 5
READ_BYTES = 65536


def sibling(name):
    """A module beside this file; `-I` keeps its directory off the path."""
    path = Path(__file__).resolve().with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_aos_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
values, package, observe = sibling("values"), sibling("package"), sibling("observe")


class Channel:
    """The descriptors of the host. Nothing that the package prints can reach them."""

    def __init__(self, reply_fd):
        self.requests, self.replies = os.dup(0), os.dup(reply_fd)
        devnull = os.open(os.devnull, os.O_RDONLY)
        os.dup2(devnull, 0)
        os.close(devnull)
        if reply_fd == 1:
            os.dup2(2, 1)
        elif reply_fd > 2:
            os.close(reply_fd)
        self.lock, self.limit, self.pending = threading.Lock(), MESSAGE_BYTES, b""

    def send(self, message):
        """Writes one message; False when it is too large, and then nothing is written."""
        text = json.dumps(message, allow_nan=False, separators=(",", ":"))
        line = text.encode("ascii") + b"\n"
        if len(line) > self.limit:
            return False
        with self.lock:
            view = memoryview(line)
            while view:
                view = view[os.write(self.replies, view) :]
        return True

    def receive(self):
        """The next request, or None at the end."""
        while b"\n" not in self.pending:
            if len(self.pending) > self.limit:
                raise ValueError(f"a request is longer than {self.limit} bytes")
            data = os.read(self.requests, READ_BYTES)
            if not data:
                return None
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return json.loads(line)


class Counted(io.RawIOBase):
    """Standard output of the package, with a count of what was written."""

    def __init__(self):
        super().__init__()
        self.written = 0

    def writable(self):
        return True

    def fileno(self):
        return 1

    def write(self, data):
        self.written += len(data)
        return os.write(1, data)


class Runner:
    """One task for each call, so that calls overlap and each can be cancelled."""

    def __init__(self, channel):
        self.channel, self.observer = channel, observe.Observer()
        self.package, self.tasks, self.cancelled = None, {}, set()

    def answer(self, identity, message):
        message = {"id": identity, **message, "observed": self.observer.take()}
        if self.channel.send(message):
            return
        text = f"the answer is larger than {self.channel.limit} bytes"
        code = "load_failed" if message["event"] == "loaded" else "invalid_result"
        error = values.refusal(code, text, {"reason": "too_large"})
        self.channel.send({"id": identity, "event": "error", **error, "observed": []})

    def load(self, request):
        self.channel.limit = request.get("limits", {}).get("message_bytes", MESSAGE_BYTES)
        os.environ.clear()
        os.environ.update(request.get("environment", {}))
        counted = Counted()
        buffered = io.BufferedWriter(counted)
        sys.stdout = sys.__stdout__ = io.TextIOWrapper(
            buffered, encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
        if request.get("observe"):
            self.observer.watch(Path(request["root"]).resolve())
        try:
            self.package = package.Package(request)
            message = {"event": "loaded", "protocol": PROTOCOL, "facts": self.package.describe()}
        except package.Refused as refused:
            data = {"reason": refused.reason}
            message = {"event": "error", **values.refusal("load_failed", refused.message, data)}
            if refused.cause is not None:
                message["trace"] = values.trace_of(refused.cause)
        sys.stdout.flush()
        self.answer(request["id"], {**message, "stdout_bytes": counted.written})

    def context(self, request):
        given = request["ctx"]
        context = {"run_id": given["run_id"], "cwd": given["cwd"], "env": dict(given["env"])}
        context.update({key: given[key] for key in ("telemetry",) if key in given})
        if request.get("history") is not None:
            context["history"] = request["history"]
        if request.get("stream"):
            context["stream"] = self.stream(request["id"])
        return context

    def stream(self, identity):
        """The callback of one call. It writes at once, from any thread."""
        count = 0

        def stream(chunk):
            nonlocal count
            if identity not in self.tasks:
                self.channel.send({"id": identity, "event": "late_chunk"})
                return
            chunk = checked_chunk(chunk)
            if count >= CHUNKS:
                raise values.BadChunk(f"a call has at most {CHUNKS} chunks")
            message = {"id": identity, "event": "chunk", "seq": count, "chunk": chunk}
            if not self.channel.send(message):
                raise values.BadChunk(f"a chunk is larger than {self.channel.limit} bytes")
            count += 1

        return stream

    async def call(self, request):
        """Calls a command or an agent; the members of the answer."""
        if request["op"] == "run":
            item, code = self.package.find("commands", "name", request["name"]), "unknown_command"
        else:
            item, code = self.package.find("agents", "id", request["name"]), "unknown_agent"
        if item is None:
            text = f"the package has no {code.partition('_')[2]} `{request['name']}`"
            return error_event(values.refusal(code, text))
        context = self.context(request)
        try:
            if request["op"] == "run":
                result = package.member(item, "run")(request["args"], context)
            else:
                handle, history = package.member(item, "handle"), request.get("history")
                result = handle(request["message"], context, history=history)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            return error_event(values.failure(error))
        return result_event(result)

    async def serve(self, request):
        identity = request["id"]
        message = await self.call(request)
        del self.tasks[identity]
        sys.stdout.flush()
        if identity in self.cancelled:
            self.cancelled.discard(identity)
            message = error_event(values.refusal("cancelled", "the call was cancelled"))
        self.answer(identity, message)

    async def shutdown(self):
        place, function = self.package.shutdown() if self.package else (None, None)
        try:
            result = function() if function else None
            if inspect.isawaitable(result):
                await asyncio.wait_for(result, SHUTDOWN_SECONDS)
        except asyncio.TimeoutError:
            text = f"shutdown took longer than {SHUTDOWN_SECONDS} s"
            return error_event(values.refusal("timeout", text))
        except BaseException as error:
            return error_event(values.failure(error))
        return {"event": "stopped", "called": place}

    async def handle(self, request):
        """Carries out one request; True when it was the last one."""
        operation, identity = request["op"], request.get("id")
        if operation == "load" and self.package is None:
            self.load(request)
        elif operation == "shutdown":
            self.answer(identity, await self.shutdown())
            return True
        elif operation == "cancel":
            task = self.tasks.get(request["target"])
            if task is not None:
                self.cancelled.add(request["target"])
                task.cancel()
        elif self.package is None or operation not in ("describe", "run", "handle"):
            text = f"`{operation}` is not expected now"
            self.answer(identity, error_event(values.refusal("internal_error", text)))
        elif operation == "describe":
            self.answer(identity, {"event": "described", "facts": self.package.describe()})
        else:
            self.tasks[identity] = asyncio.ensure_future(self.serve(request))
            # A task that is cancelled before its first step would never answer.
            await asyncio.sleep(0)
        return False

    def fault(self, kind, error):
        """Reports what failed outside of every call."""
        self.channel.send({"event": "fault", "kind": kind, **values.failure(error)})

    def stray(self, _, context):
        self.fault("task", context.get("exception") or RuntimeError(context.get("message")))

    async def main(self):
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self.stray)
        threading.excepthook = lambda a: self.fault("thread", a.exc_value or a.exc_type())
        requests = asyncio.Queue()
        threading.Thread(target=read, args=(self.channel, loop, requests), daemon=True).start()
        while True:
            request = await requests.get()
            if request is None:
                # The host is gone: the package may clean up, then the process ends in any case.
                await self.shutdown()
                os._exit(0)
            if isinstance(request, Exception):
                self.fault("request", request)
                os._exit(70)
            if await self.handle(request):
                return


def error_event(members):
    return {"event": "error", **members}


def bad_result(reason, text):
    return error_event(values.refusal("invalid_result", text, {"reason": reason}))


def result_event(result):
    warnings = []
    try:
        value = values.plain(result, warnings)
    except values.NotJson as fault:
        return bad_result("not_json", f"the result is not JSON: {fault}")
    except BaseException as error:
        return bad_result("not_json", f"the result cannot be read: {values.text_of(error)}")
    if not isinstance(value, dict):
        text = f"the result is a {type(result).__name__}, not an object"
        return bad_result("not_object", text)
    return {"event": "result", "value": value, "warnings": values.shown(warnings)}


def checked_chunk(chunk):
    try:
        chunk = values.plain(chunk, [])
    except values.NotJson as fault:
        raise values.BadChunk(f"a chunk is not JSON: {fault}") from None
    kind = chunk.get("type") if isinstance(chunk, dict) and set(chunk) == {"type", "data"} else None
    if kind not in ("text", "event"):
        raise values.BadChunk("a chunk is {'type': 'text' or 'event', 'data': ...}")
    if kind == "text" and not isinstance(chunk["data"], str):
        raise values.BadChunk("data of a chunk of type text is a string")
    return chunk


def read(channel, loop, requests):
    """Reads requests in a thread of its own, so that the loop never waits for the host."""
    try:
        while (request := channel.receive()) is not None:
            loop.call_soon_threadsafe(requests.put_nowait, request)
        last = None
    except Exception as error:
        last = error
    # The loop may have ended before.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(requests.put_nowait, last)
    # The loop may also be blocked by the package for ever, and no host is left to end it.
    time.sleep(SHUTDOWN_SECONDS + 1)
    os._exit(0)


def main(arguments):
    reply_fd = int(arguments[1]) if arguments[:1] == ["--reply-fd"] else 1
    asyncio.run(Runner(Channel(reply_fd)).main())


if __name__ == "__main__":
    main(sys.argv[1:])
