"""Tools that are made from a description, side by side.

openapi.py AOS [--generator JAR] [DESCRIPTION...]

AOS is a built aos. Every parameter of runtime/fixtures/serial.json becomes an
operation; each tool calls it, and a server records what arrives. The descriptions
are counted: operations, tools, names that clash, seconds. FastMCP is compared if this
Python has it, the bash client of openapi-generator if a JAR is given (it needs java,
bash and curl). Needs click. Writes into a temporary directory only.
"""

import argparse
import asyncio
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
# A file beside this one has the name of a package that FastMCP needs.
sys.path[:] = [place for place in sys.path if Path(place) != Path(__file__).parent]
KINDS = {
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object", "additionalProperties": True},
    "text": {"type": "string"},
}
VALUES = {"list": list, "object": dict, "text": str, "content": dict}
METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace")


class Recorder:
    """A server that keeps what it is sent: {row: (path, query, header)}."""

    def __init__(self):
        seen = self.seen = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path, _, query = self.path.partition("?")
                row = path.split("/")[1]
                seen[row] = (path[len(row) + 2 :], query, self.headers.get("color", ""))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def rows():
    """The parameters that every tool can be asked for."""
    shared = json.loads((HERE / "runtime/fixtures/serial.json").read_text("utf-8"))
    for row in shared["parameters"]:
        kind = row["kind"] if row["kind"] in VALUES else "text"
        value = row["value"]
        value = value if kind != "text" or isinstance(value, str) else json.dumps(value)
        if row["text"] is not None and isinstance(value, VALUES[kind]):
            yield {**row, "kind": kind, "value": value}


def description(url, all_rows):
    """A description with an operation for each row."""
    paths = {}
    for at, row in enumerate(all_rows):
        parameter = {"name": "color", "in": row["in"], **row["described"]}
        if row["in"] == "path":
            parameter["required"] = True
        if row["kind"] == "content":
            schema = {"schema": KINDS["object"]}
            parameter["content"] = {"application/json": schema}
        else:
            parameter["schema"] = KINDS[row["kind"]]
        reply = {"application/json": {"schema": {"type": "object"}}}
        place = f"/row{at}" + ("/{color}" if row["in"] == "path" else "")
        paths[place] = {
            "get": {
                "operationId": f"row{at}",
                "parameters": [parameter],
                "responses": {"200": {"description": "ok", "content": reply}},
            }
        }
    info = {"title": "Rows", "version": "1"}
    servers = [{"url": "https://rows.example"}, {"url": url}]
    return {"openapi": "3.0.3", "info": info, "servers": servers, "paths": paths}


def plain(text):
    """The text with characters decoded that mean the same in both forms."""
    text = re.sub("%[0-9a-fA-F]{2}", lambda found: found[0].upper(), text)
    for code, symbol in {"%5B": "[", "%5D": "]", "%7C": "|", "%7E": "~"}.items():
        text = text.replace(code, symbol)
    return text.replace("+", "%20")


def right(all_rows, seen):
    """How many rows arrived as the standard says, and which did not, by their style."""
    wrong = []
    for at, row in enumerate(all_rows):
        found = seen.get(f"row{at}", ("", "", ""))
        found = found[("path", "query", "header").index(row["in"])]
        if plain(found) != plain(row["text"]):
            wrong.append(f"{row['in']} {row['style'] or row['kind']}")
    return len(all_rows) - len(wrong), dict(collections.Counter(wrong))


def words(row, option):
    """The options of a command of aos."""
    value = row["value"]
    if row["kind"] == "list":
        return [option, json.dumps([str(entry) for entry in value])]
    return [option, value if row["kind"] == "text" else json.dumps(value)]


def with_aos(aos, file, all_rows, recorder, place):
    command = [aos, "new", "rows", "--openapi", str(file), "--no-git", "--dir", place]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    harness = Path(place) / "aos-rows/agent-harness"
    environment = {**os.environ, "PYTHONPATH": str(harness)}
    environment["ROWS_API_URL"] = recorder.url
    options = {one["request"]: one["inputs"] for one in listed(aos, file)["commands"]}
    for at, row in enumerate(all_rows):
        request = f"GET /row{at}" + ("/{color}" if row["in"] == "path" else "")
        option = "--" + options[request][0].rstrip("*").replace("_", "-")
        call = [sys.executable, "-m", "aos_rows", "--json", f"row{at}", "get"]
        call += words(row, option)
        subprocess.run(call, env=environment, stdout=subprocess.DEVNULL, check=False)


def client_library():
    """The HTTP client that this FastMCP uses."""
    try:
        import httpx
    except ImportError:
        import httpx2 as httpx
    return httpx


def with_fastmcp(document, all_rows, recorder):
    httpx = client_library()
    from fastmcp import Client, FastMCP

    async def calls():
        async with httpx.AsyncClient(base_url=recorder.url) as http:
            server = FastMCP.from_openapi(openapi_spec=document, client=http)
            async with Client(server) as client:
                for at, row in enumerate(all_rows):
                    try:
                        await client.call_tool(f"row{at}", {"color": row["value"]})
                    except Exception as error:
                        print(f"FastMCP: row{at}: {error}"[:200], file=sys.stderr)

    asyncio.run(calls())


def generated(jar, file, place):
    """The bash client of openapi-generator."""
    command = ["java", "-jar", jar, "generate", "-g", "bash", "-i", str(file)]
    command += ["-o", str(place), "--skip-validate-spec"]
    subprocess.run(command, check=True, capture_output=True)
    return next(Path(place).glob("*.sh"), None)


def with_generator(jar, file, all_rows, recorder, place):
    script = generated(jar, file, place)
    for at, row in enumerate(all_rows):
        value = row["value"]
        values = value if row["kind"] == "list" else [value]
        texts = [one if isinstance(one, str) else json.dumps(one) for one in values]
        sign = ":" if row["in"] == "header" else "="
        given = [f"color{sign}{text}" for text in texts]
        call = ["bash", str(script), "--host", recorder.url, f"row{at}", *given]
        subprocess.run(call, capture_output=True, check=False, timeout=60)


def count(document):
    """Operations of a description; those behind references count too."""
    items = document.get("paths", {}).values()
    return sum(1 for item in items for name in item if name in METHODS)


def read(path):
    if path.suffix == ".json":
        return json.loads(path.read_text("utf-8"))
    import yaml

    return yaml.safe_load(path.read_text("utf-8"))


def clashes(names):
    """Names that are equal for a host that folds them, and names that end in a number for that reason."""
    folded = collections.Counter(re.sub("[^a-z0-9]+", "_", name.lower()) for name in names)
    return sum(times - 1 for times in folded.values())


def listed(aos, file):
    command = [aos, "new", "acme", "--openapi", str(file), "--list", "--select", "*"]
    run = subprocess.run([*command, "--json"], capture_output=True, check=True)
    return json.loads(run.stdout)["data"]


def counted_aos(aos, file):
    data = listed(aos, file)
    names = [one["id"] for one in data["commands"]]
    return names, f"{len(data['left_out'])} left out, each named"


def counted_fastmcp(file):
    httpx = client_library()
    from fastmcp import FastMCP

    async def tools():
        async with httpx.AsyncClient(base_url="http://127.0.0.1:9") as http:
            server = FastMCP.from_openapi(openapi_spec=read(file), client=http)
            return [tool.name for tool in await server.list_tools()]

    return asyncio.run(tools()), ""


def counted_generator(jar, file):
    with tempfile.TemporaryDirectory() as place:
        script = generated(jar, file, place).read_text("utf-8")
    return re.findall(r"^call_(\w+)\(\)", script, re.MULTILINE), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("aos")
    parser.add_argument("--generator", metavar="JAR")
    parser.add_argument("descriptions", nargs="*", type=Path)
    given = parser.parse_intermixed_args()
    aos = str(Path(given.aos).resolve())
    try:
        import fastmcp

        version = fastmcp.__version__
    except ImportError:
        version = None
        print("FastMCP is not here", file=sys.stderr)
    all_rows = list(rows())
    print(f"{len(all_rows)} parameters | sent right | seconds | wrong")
    with tempfile.TemporaryDirectory() as place:
        tools = {"aos": lambda file, server: with_aos(aos, file, all_rows, server, place)}
        if version:
            tools[f"FastMCP {version}"] = lambda file, server: with_fastmcp(
                json.loads(file.read_text()), all_rows, server
            )
        if given.generator:
            tools["openapi-generator, bash"] = lambda file, server: with_generator(
                given.generator, file, all_rows, server, Path(place) / "bash"
            )
        for name, call in tools.items():
            recorder = Recorder()
            file = Path(place) / "rows.json"
            file.write_text(json.dumps(description(recorder.url, all_rows)), "utf-8")
            begun = time.monotonic()
            call(file, recorder)
            taken = time.monotonic() - begun
            good, wrong = right(all_rows, recorder.seen)
            print(f"{name} | {good} | {taken:.1f} | {wrong or ''}")
    print("description | operations | tool | tools | clashes | seconds | note")
    for file in given.descriptions:
        counters = {"aos": lambda file=file: counted_aos(aos, file)}
        if version:
            counters[f"FastMCP {version}"] = lambda file=file: counted_fastmcp(file)
        if given.generator:
            counters["openapi-generator, bash"] = lambda file=file: counted_generator(
                given.generator, file
            )
        for name, call in counters.items():
            begun = time.monotonic()
            try:
                names, note = call()
                shown = f"{len(names)} | {clashes(names)}"
            except Exception as error:
                shown, note = "- | -", f"fails: {str(error).splitlines()[0][:120]}"
            taken = time.monotonic() - begun
            print(f"{file.name} | {count(read(file))} | {name} | {shown} | {taken:.1f} | {note}")


main()
