"""What is seen of a package, and what the system stops."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ENTRIES, package
from host import FIXTURES, NODE, RUNNERS, Host

MODEL = ["--experimental-permission"]
OPTIONS = subprocess.run([NODE, "--help"], capture_output=True, text=True, check=True).stdout
if "--permission" in OPTIONS.split():
    MODEL = ["--permission"]


def seen(body: Path, runtime: str) -> list[tuple[str, str]]:
    with Host(body, runtime) as host:
        loaded = host.load(ENTRIES[runtime])
        assert loaded["observed"] == []
        answer = host.run("go", {})
        assert answer["event"] == "result", answer
        return [(entry["kind"], entry["target"]) for entry in answer["observed"]]


def test_a_package_that_touches_nothing_shows_nothing(good: Host) -> None:
    assert good.run("echo", {"text": "a"})["observed"] == []


def test_files_are_seen_with_their_names(runtime: str, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    (tmp_path / "package").mkdir()
    body = package(
        tmp_path / "package",
        runtime,
        f"open({str(target)!r}, 'w').close()\nopen({str(target)!r}).close()\n"
        f"import os\nos.remove({str(target)!r})\nreturn {{}}",
        "const fs = await import('node:fs');\n"
        f"fs.writeFileSync('{target}', 'x');\nfs.readFileSync('{target}');\n"
        f"fs.unlinkSync('{target}');\nreturn {{}};",
    )
    assert seen(body, runtime) == [("fs.write", str(target)), ("fs.read", str(target))]


def test_files_of_the_package_itself_are_not_reported(runtime: str, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("x")
    body = package(
        tmp_path,
        runtime,
        "import pathlib\npathlib.Path(__file__).with_name('data.txt').read_text()\n"
        "import decimal\nreturn {}",
        "const fs = await import('node:fs/promises');\n"
        "await fs.readFile(new URL('data.txt', import.meta.url));\nreturn {};",
    )
    assert seen(body, runtime) == []


def test_hosts_and_programs_are_seen(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import socket, subprocess\nsocket.socket().connect_ex(('127.0.0.1', 9))\n"
        "subprocess.run(['true'])\nreturn {}",
        "const net = await import('node:net');\nconst { spawn } = await import('node:child_process');\n"
        "const socket = net.connect({ port: 9, host: '127.0.0.1' });\n"
        "await new Promise((resolve) => socket.once('error', resolve));\n"
        "await new Promise((resolve) => spawn('true').once('close', resolve));\nreturn {};",
    )
    found = seen(body, runtime)
    assert ("network", "127.0.0.1:9") in found
    assert ("program", "true") in found


@pytest.mark.parametrize(
    ("python", "node"),
    [
        (
            "import urllib.request\ntry:\n    urllib.request.urlopen('http://127.0.0.1:8999/')\n"
            "except OSError:\n    pass\nreturn {}",
            "await fetch('http://127.0.0.1:8999/').catch(() => {});\nreturn {};",
        ),
        (
            "import http.client\nc = http.client.HTTPSConnection('127.0.0.1', 8999)\n"
            "try:\n    c.request('GET', '/')\nexcept OSError:\n    pass\nreturn {}",
            "const https = await import('node:https');\nawait new Promise((resolve) =>\n"
            "  https.get('https://127.0.0.1:8999/').once('error', resolve));\nreturn {};",
        ),
        (
            "import asyncio\ntry:\n    await asyncio.open_connection('127.0.0.1', 8999)\n"
            "except OSError:\n    pass\nreturn {}",
            "const { connect } = await import('node:net');\nawait new Promise((resolve) =>\n"
            "  connect({ port: 8999, host: '127.0.0.1' }).once('error', resolve));\nreturn {};",
        ),
    ],
    ids=["http", "https", "socket"],
)
def test_every_usual_way_to_a_host_is_seen(
    runtime: str, tmp_path: Path, python: str, node: str
) -> None:
    (tmp_path / "package").mkdir()
    body = package(tmp_path / "package", runtime, python, node)
    assert ("network", "127.0.0.1:8999") in seen(body, runtime)


def test_a_worker_of_node_is_named(tmp_path: Path) -> None:
    body = package(
        tmp_path,
        "node",
        "",
        "const { Worker } = await import('node:worker_threads');\n"
        "const worker = new Worker('1', { eval: true });\n"
        "await new Promise((resolve) => worker.once('exit', resolve));\nreturn {};",
    )
    assert seen(body, "node") == [("worker", "text")]


def test_the_list_is_bounded(runtime: str, tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    body = package(
        tmp_path / "package",
        runtime,
        f"for i in range(1000):\n    open(f'{tmp_path}/{{i}}', 'w').close()\nreturn {{}}",
        "const fs = await import('node:fs');\n"
        f"for (let i = 0; i < 1000; i++) fs.writeFileSync(`{tmp_path}/${{i}}`, '');\nreturn {{}};",
    )
    found = seen(body, runtime)
    assert len(found) == 201
    assert found[-1] == ("dropped", "800")


def node_model(body: Path) -> Host:
    options = [*MODEL, f"--allow-fs-read={body}/*", f"--allow-fs-read={RUNNERS}/*"]
    return Host(body, "node", options=options)


@pytest.mark.parametrize("name", ["p1_writes", "p1_reads", "p1_starts_a_program"])
def test_the_permission_model_of_node_stops_a_package(name: str) -> None:
    with node_model(FIXTURES / "node" / name) as host:
        assert host.load("index.factory")["event"] == "loaded"
        answer = host.run("echo", {"text": "hello"})
        assert answer["error"]["code"] == "permission_denied", answer
        assert answer["origin"] == "host"
        assert answer["error"]["data"]["permission"]


def test_the_permission_model_of_node_does_not_disturb_a_good_package() -> None:
    with node_model(FIXTURES / "node" / "good") as host:
        assert host.load("index.factory")["event"] == "loaded"
        assert host.run("echo", {"text": "hello"})["value"] == {"text": "hello"}


def can_unshare() -> bool:
    try:
        return subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_unshare(), reason="no network namespace on this system")
def test_a_network_namespace_stops_a_connection(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 443), timeout=5)\n"
        "except OSError as error:\n    return {'error': error.strerror}\nreturn {}",
        "const net = await import('node:net');\nconst socket = net.connect(443, '192.0.2.1');\n"
        "const error = await new Promise((resolve) => socket.once('error', resolve));\n"
        "return { error: error.code };",
    )
    with Host(body, runtime, before=["unshare", "-rn"]) as host:
        host.load(ENTRIES[runtime])
        value = host.run("go", {})["value"]
    assert value["error"] in ("Network is unreachable", "ENETUNREACH")
