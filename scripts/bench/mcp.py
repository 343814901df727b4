"""What `aos mcp serve` adds: to the start of a tool until tools/list, and to each call.

usage: mcp.py AOS AUGMENTOR CONNECTOR RUNNER_DIRECTORY

Prints rows `name|min|median|note` in ms. Each has a partner that does the same work without aos: the runner that loads
the package, or the program of the connector. Reads the clock and writes nothing.
"""

import json
import statistics
import subprocess
import sys
import time

STARTS, CALLS = 15, 60
# Milliseconds that a server may add.
MOST_START, MOST_CALL = 30, 5


class Lines:
    """A process that is spoken to in lines of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        if "id" in message:
            answer = json.loads(self.process.stdout.readline())
            while answer.get("id") != message["id"]:
                answer = json.loads(self.process.stdout.readline())
            return answer
        return None

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def timed(work):
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def rpc(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def served(aos, package, *more):
    server = Lines([aos, "mcp", "serve", package, *more])
    client = {"name": "bench", "version": "1"}
    start = rpc(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    server.ask(start)
    server.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.ask(rpc(2, "tools/list"))
    return server


def loaded(runner, package):
    child = Lines([sys.executable, "-I", "-u", f"{runner}/runner.py", "--reply-fd", "1"])
    entry = {"root": package, "entry": "sample.factory", "paths": ["."], "observe": True}
    hooks = {"hooks": {"host": "bench", "host_version": "0", "abi": "1.0"}}
    rest = {"environment": {}, "limits": {"message_bytes": 1048576}}
    child.ask({"op": "load", "id": 1, **entry, **hooks, **rest})
    return child


def row(name, figures, note=""):
    print(f"{name}|{min(figures):.2f}|{statistics.median(figures):.2f}|{note}")


def starts(make):
    figures = []
    for _ in range(STARTS):
        duration, process = timed(make)
        figures.append(duration)
        process.end()
    return figures


def calls(process, message):
    process.ask(message(10))
    return [timed(lambda number=number: process.ask(message(11 + number)))[0] for number in range(CALLS)]


def beyond(figures, floor, most):
    """How much more than the floor, what is promised, and the ratio of the two times."""
    own, other = statistics.median(figures), statistics.median(floor)
    return f"{own - other:+.2f} ms beyond it (at most {most}), {own / other:.2f}x of it"


def main(aos, augmentor, connector, runner):
    floor = starts(lambda: loaded(runner, augmentor))
    row("floor: start the runner, load the augmentor", floor)
    figures = starts(lambda: served(aos, augmentor))
    row("aos mcp serve: start to tools/list", figures, beyond(figures, floor, MOST_START))
    figures = starts(lambda: served(aos, connector))
    row("the same for a connector, which is not run", figures)

    context = {"run_id": "bench", "cwd": "/", "env": {}}
    text = {"text": "hello"}
    child = loaded(runner, augmentor)
    floor = calls(child, lambda id: {"op": "run", "id": id, "name": "echo", "args": text, "stream": False, "ctx": context})
    child.end()
    row("floor: a call of the runner", floor)
    server = served(aos, augmentor)
    figures = calls(server, lambda id: rpc(id, "tools/call", name="echo", arguments=text))
    server.end()
    row("a call of the augmentor through MCP", figures, beyond(figures, floor, MOST_CALL))

    program = f"{connector}/agent-harness/shims/aos-acme"
    direct = [program, "capabilities", "--json", "--mode", "readonly"]
    floor = [timed(lambda: subprocess.run(direct, stdout=subprocess.PIPE))[0] for _ in range(STARTS)]
    row("floor: a call of the connector", floor)
    server = served(aos, connector, "--tools", "capabilities")
    message = lambda id: rpc(id, "tools/call", name="acme_capabilities", arguments={})
    figures = [timed(lambda number=number: server.ask(message(100 + number)))[0] for number in range(STARTS)]
    server.end()
    row("a call of the connector through MCP", figures, beyond(figures, floor, MOST_CALL))


main(*sys.argv[1:])
