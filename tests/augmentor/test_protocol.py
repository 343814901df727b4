"""Messages of the runners: the same questions and the same answers in both languages."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest
from conftest import ENTRIES, package
from host import FIXTURES, Host

TEXT = {"text": "hello"}


@pytest.mark.parametrize("reply", ["socket", "stdout", "pipe"])
def test_answers_come_on_each_kind_of_descriptor(runtime: str, reply: str) -> None:
    with Host(FIXTURES / runtime / "good", runtime, reply=reply) as host:
        assert host.load(ENTRIES[runtime])["event"] == "loaded"
        assert host.run("echo", TEXT)["value"] == TEXT
        assert host.ask("shutdown")["called"] == "package"
        assert host.ended_by_itself()
        assert host.child.returncode == 0
        # The shutdown of the package prints: that never mixes with the answers.
        host.kill()
        assert host.stdout.strip() == (b"" if reply == "stdout" else b"bye")
        assert not [m for m in host.other if m["event"] == "garbage"]


def test_the_facts_of_a_package(good: Host, runtime: str) -> None:
    facts = good.ask("describe")["facts"]
    assert facts["runtime"] == runtime
    assert [c["name"] for c in facts["commands"]] == ["echo", "refuse", "count", "context"]
    assert [c["async"] for c in facts["commands"]] == [True, False, True, True]
    assert facts["agents"][0]["id"] == "helper"
    assert facts["agents"][0]["history"] is True
    assert facts["tools"][0]["inputSchema"]["required"] == ["text"]
    assert facts["shutdown"] == "package"
    assert Path(facts["file"]).parent == FIXTURES / runtime / "good"


def test_an_error_of_the_package_keeps_its_three_members(good: Host) -> None:
    answer = good.run("refuse", TEXT)
    assert answer["origin"] == "package"
    assert answer["error"] == {"code": "not_allowed", "message": "no hello", "data": TEXT}


def test_any_other_error_is_internal_and_its_trace_is_apart(runtime: str, tmp_path: Path) -> None:
    body = package(tmp_path, runtime, "raise KeyError('secret')", "throw new RangeError('secret');")
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        answer = host.run("go", {})
    assert answer["origin"] == "exception"
    assert answer["error"]["code"] == "internal_error"
    assert answer["error"]["data"] == {"type": "KeyError" if runtime == "python" else "RangeError"}
    assert "go" in answer["trace"]
    assert "line" not in answer["error"]["message"]
    assert " at " not in answer["error"]["message"]


def test_names_that_the_package_does_not_have(good: Host) -> None:
    answer = good.run("nothing", {})
    assert (answer["error"]["code"], answer["origin"]) == ("unknown_command", "host")
    answer = good.ask("handle", name="nobody", message="x", ctx=good.context())
    assert answer["error"]["code"] == "unknown_agent"


def test_the_context_has_what_the_contract_says_and_nothing_more(good: Host, runtime: str) -> None:
    python = runtime == "python"
    for _ in range(2):
        ctx = good.context(TOKEN="t")
        value = good.ask("run", name="context", args=TEXT, ctx=ctx)["value"]
        names = ["cwd", "env", "run_id"] if python else ["cwd", "env", "runId", "signal"]
        assert value["keys"] == names
        assert value["ctx"] == {"cwd": "/", "run_id" if python else "runId": ctx["run_id"]}
        # The first call empties its `env`; the second has its own.
        assert value["env"] == {"PATH": os.environ["PATH"], "TOKEN": "t"}
        assert value["process"] == ["PATH"]
    value = good.run("context", TEXT, stream=True)["value"]
    assert "stream" in value["keys"]


def test_chunks_come_in_order_before_the_result(good: Host) -> None:
    identity = good.send("run", name="count", args={"text": "abc"}, ctx=good.context(), stream=True)
    assert good.wait(identity)["value"] == {"letters": 3}
    assert [m["seq"] for m in good.other] == [0, 1, 2]
    assert good.chunks(identity)[-1] == {"type": "event", "data": {"last": "c"}}


def test_an_agent_gets_the_history(good: Host) -> None:
    history = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    ctx = good.context()
    answer = good.ask("handle", name="helper", message="now", history=history, ctx=ctx)
    assert answer["value"] == {"message": "now after 2"}
    answer = good.ask("handle", name="helper", message="now", ctx=ctx)
    assert answer["value"] == {"message": "now after 0"}


def test_a_cancelled_call_is_answered_while_others_go_on(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import asyncio\nif args['wait']:\n    await asyncio.Event().wait()\nreturn {'done': True}",
        "if (args.wait) await new Promise((_, no) => ctx.signal.addEventListener('abort', no));\n"
        "return { done: true };",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        waiting = host.send("run", name="go", args={"wait": True}, ctx=host.context())
        assert host.run("go", {"wait": False})["value"] == {"done": True}
        host.send("cancel", target=waiting)
        assert host.wait(waiting)["error"]["code"] == "cancelled"
        assert host.run("go", {"wait": False})["value"] == {"done": True}


def test_a_cancelled_call_learns_of_it(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import asyncio, sys\nif args['wait']:\n    try:\n        await asyncio.Event().wait()\n"
        "    finally:\n        sys.modules['told'] = sys\nreturn {'told': 'told' in sys.modules}",
        "if (args.wait) ctx.signal.addEventListener('abort', () => { globalThis.told = true; });\n"
        "if (args.wait) await new Promise(() => {});\nreturn { told: globalThis.told ?? false };",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        waiting = host.send("run", name="go", args={"wait": True}, ctx=host.context())
        assert host.run("go", {"wait": False})["value"] == {"told": False}
        host.send("cancel", target=waiting)
        host.wait(waiting)
        assert host.run("go", {"wait": False})["value"] == {"told": True}


def test_a_call_that_is_cancelled_at_once_is_answered(good: Host) -> None:
    # Both requests arrive together, before the call has made a step.
    run = {"op": "run", "id": 90, "name": "echo", "args": TEXT, "ctx": good.context()}
    lines = [json.dumps(request) for request in (run, {"op": "cancel", "target": 90})]
    good.requests.write("".join(line + "\n" for line in lines).encode())
    answer = good.wait(90)
    assert answer["event"] == "result" or answer["error"]["code"] == "cancelled"
    assert good.run("echo", TEXT)["value"] == TEXT


def test_a_result_over_the_limit_is_refused_and_the_next_call_works(
    runtime: str, tmp_path: Path
) -> None:
    body = package(
        tmp_path,
        runtime,
        "return {'text': 'x' * args['size']}",
        "return { text: 'x'.repeat(args.size) };",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime], limits={"message_bytes": 10000})
        answer = host.run("go", {"size": 20000})
        assert answer["error"]["code"] == "invalid_result"
        assert answer["error"]["data"] == {"reason": "too_large"}
        assert len(host.run("go", {"size": 5000})["value"]["text"]) == 5000


def test_a_large_answer_arrives_whole(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "return {'text': 'x' * args['size']}",
        "return { text: 'x'.repeat(args.size) };",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        assert len(host.run("go", {"size": 900000})["value"]["text"]) == 900000


def test_a_request_over_the_limit_ends_the_run(runtime: str) -> None:
    with Host(FIXTURES / runtime / "good", runtime, reply="pipe") as host:
        host.load(ENTRIES[runtime])
        with contextlib.suppress(BrokenPipeError):
            host.requests.write(b"x" * 3_000_000 + b"\n")
        host.rest()
        assert host.other[-1]["kind"] == "request"
        assert "1048576 bytes" in host.other[-1]["error"]["message"]
        assert host.ended_by_itself()
        assert host.child.returncode == 70


def test_the_end_of_the_requests_ends_the_process_whatever_runs(
    runtime: str, tmp_path: Path
) -> None:
    body = package(
        tmp_path,
        runtime,
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
        "return {}",
        "setInterval(() => {}, 1000);\nreturn {};",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        assert host.run("go", {})["event"] == "result"
        host.close_requests()
        assert host.ended_by_itself()


def test_the_end_of_the_requests_ends_a_call_that_blocks_python(tmp_path: Path) -> None:
    body = package(tmp_path, "python", "while True:\n    pass", "")
    with Host(body, "python") as host:
        host.load("sample.factory")
        host.send("run", name="go", args={}, ctx=host.context())
        host.close_requests()
        assert host.ended_by_itself()


def test_a_description_over_the_limit_is_a_failed_load(runtime: str) -> None:
    with Host(FIXTURES / runtime / "good", runtime) as host:
        answer = host.load(ENTRIES[runtime], limits={"message_bytes": 1000})
        assert answer["error"]["code"] == "load_failed"
        assert answer["error"]["data"] == {"reason": "too_large"}


def test_the_end_of_the_requests_calls_shutdown(good: Host) -> None:
    good.close_requests()
    assert good.ended_by_itself()
    good.kill()
    assert good.stdout.strip() == b"bye"


def test_a_chunk_after_the_result_is_dropped_and_reported(runtime: str) -> None:
    with Host(FIXTURES / runtime / "r5_late_chunk", runtime) as host:
        host.load(ENTRIES[runtime])
        identity = host.send("run", name="echo", args=TEXT, ctx=host.context(), stream=True)
        host.wait(identity)
        host.ask("describe")
        assert host.chunks(identity) == [{"type": "text", "data": "hello"}]
        assert [m["id"] for m in host.other if m["event"] == "late_chunk"] == [identity]


@pytest.mark.parametrize(
    ("fixture", "reason"),
    [
        ("l1_import_fails", "import_failed"),
        ("l1_factory_fails", "factory_failed"),
        ("l1_no_export", "not_callable"),
        ("l2_async_factory", "factory_async"),
        ("l2_list", "not_a_package"),
        ("l2_nothing", "not_a_package"),
    ],
)
def test_a_failed_load_says_why(runtime: str, fixture: str, reason: str) -> None:
    with Host(FIXTURES / runtime / fixture, runtime) as host:
        answer = host.load(ENTRIES[runtime])
        if (runtime, fixture) == ("node", "l1_no_export"):
            assert "`factory` is undefined" in answer["error"]["message"]
        assert answer["error"]["code"] == "load_failed"
        assert answer["error"]["data"] == {"reason": reason}
        assert ("trace" in answer) == (reason in ("import_failed", "factory_failed"))


@pytest.mark.parametrize("entry", ["factory", "missing.factory"])
def test_an_entry_that_is_not_there(runtime: str, entry: str) -> None:
    with Host(FIXTURES / runtime / "good", runtime) as host:
        data = host.load(entry)["error"]["data"]
        assert data == {"reason": "entry_form" if entry == "factory" else "entry_missing"}


def test_a_module_outside_of_the_package_is_refused_before_it_runs() -> None:
    # The module `this` of the standard library prints when it is imported.
    with Host(FIXTURES / "python" / "good", "python") as host:
        answer = host.load("this.factory")
        assert answer["error"]["data"] == {"reason": "entry_outside"}
        assert answer["stdout_bytes"] == 0


def test_a_submodule_that_is_a_link_out_of_the_package_is_refused(tmp_path: Path) -> None:
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    (inner / "__init__.py").touch()
    source = FIXTURES / "python" / "good" / "sample.py"
    (tmp_path / "elsewhere.py").write_text(source.read_text())
    (inner / "main.py").symlink_to(tmp_path / "elsewhere.py")
    with Host(tmp_path / "package", "python") as host:
        answer = host.load("inner.main.factory")
        assert answer["error"]["data"] == {"reason": "entry_outside"}


def test_the_package_cannot_eat_the_requests(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import sys\nreturn {'read': sys.stdin.read()}",
        "let read = '';\nfor await (const part of process.stdin) read += part;\nreturn { read };",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        first = host.send("run", name="go", args={}, ctx=host.context())
        second = host.send("run", name="go", args={}, ctx=host.context())
        assert host.wait(first)["value"] == {"read": ""}
        assert host.wait(second)["value"] == {"read": ""}


def test_an_error_outside_of_every_call_is_reported(runtime: str, tmp_path: Path) -> None:
    body = package(
        tmp_path,
        runtime,
        "import threading\nthread = threading.Thread(target=lambda: 1 / 0)\n"
        "thread.start()\nthread.join()\nreturn {}",
        "Promise.reject(new RangeError('stray'));\nreturn {};",
    )
    with Host(body, runtime) as host:
        host.load(ENTRIES[runtime])
        host.run("go", {})
        if runtime == "python":
            host.ask("shutdown")
        host.rest()
        fault = next(m for m in host.other if m["event"] == "fault")
    assert fault["kind"] == ("thread" if runtime == "python" else "rejection")
    assert fault["error"]["code"] == "internal_error"


def test_a_call_that_exits_python_is_a_failure_of_that_call(tmp_path: Path) -> None:
    with Host(package(tmp_path, "python", "import sys\nsys.exit(3)", ""), "python") as host:
        host.load("sample.factory")
        assert host.run("go", {})["error"]["data"] == {"type": "SystemExit"}
        assert host.run("go", {})["error"]["data"] == {"type": "SystemExit"}


def test_requests_at_the_wrong_time_are_refused(runtime: str) -> None:
    with Host(FIXTURES / runtime / "good", runtime) as host:
        assert host.run("echo", TEXT)["error"]["code"] == "internal_error"
        assert host.load(ENTRIES[runtime])["event"] == "loaded"
        assert host.load(ENTRIES[runtime])["error"]["code"] == "internal_error"
        assert host.ask("sing")["error"]["code"] == "internal_error"


def test_an_installed_package_is_loaded_from_its_parent(tmp_path: Path) -> None:
    inner = tmp_path / "site-packages" / "sample"
    inner.mkdir(parents=True)
    source = FIXTURES / "python" / "good" / "sample.py"
    (inner / "__init__.py").write_text(source.read_text())
    with Host(inner, "python") as host:
        answer = host.load("sample.factory", paths=[".."])
        assert answer["event"] == "loaded", answer
        assert answer["facts"]["file"] == str(inner / "__init__.py")
