"""The connector as a process: launchers, closed pipes, interrupts, other places."""

import json
import os
import signal
import subprocess
import sys

import pytest
from contract_cases import PACKAGE
from subject import HARNESS, SECRETS, api, gen

START = f"""import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path[0] = {str(HARNESS)!r}
import {PACKAGE}.api as api
from {PACKAGE}.__main__ import main
url = sys.argv.pop(1)
if url:
    api.BASE_URL, api.URL_OVERRIDE = url, ""
sys.exit(main())
"""
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")


def command(*words, url=""):
    return [sys.executable, "-c", START, url, *words]


def one_line(text):
    assert text.count("\n") == 1, text
    return json.loads(text)


def finish(argv, **rest):
    return subprocess.run(
        argv, capture_output=True, text=True, timeout=20, check=False, **rest
    )


@posix
def test_the_shim_runs_from_anywhere_and_through_links(tmp_path):
    shim = HARNESS / "shims" / gen.TOOL
    assert os.access(shim, os.X_OK)
    link = tmp_path / gen.TOOL
    link.symlink_to(shim)
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
    for path in (shim, link):
        done = finish([str(path), "--json", "capabilities"], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert one_line(done.stdout)["data"]["tool"] == gen.TOOL


def test_a_module_run_works():
    argv = [sys.executable, "-m", PACKAGE, "health", "--json"]
    done = finish(argv, cwd=HARNESS)
    assert (done.returncode, done.stderr) == (0, "")
    assert one_line(done.stdout)["data"]["status"] == "needs_setup"


def test_it_starts_without_the_slow_imports():
    code = (
        f"import sys; sys.path[0] = {str(HARNESS)!r}\n"
        f"from {PACKAGE}.__main__ import main; main(['--json', 'capabilities'])\n"
        "slow = {'click', 'http.client', 'urllib.request', 'ssl', 'inspect'}\n"
        "slow |= {name for name in sys.modules if '.testkit' in name}\n"
        "sys.stderr.write(repr(sorted(slow & set(sys.modules))))"
    )
    assert finish([sys.executable, "-c", code]).stderr == "[]"


@posix
@pytest.mark.parametrize("flags", [["--json"], []])
def test_a_closed_stdout_is_quiet(flags):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        command("capabilities", *flags),
        stdout=write_end,
        stderr=subprocess.PIPE,
        timeout=20,
        check=False,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (10, b"")


@posix
def test_no_stdout_and_no_stderr_at_all_are_quiet():
    argv = ["sh", "-c", 'exec "$@" >&-', "sh", *command("--json", "capabilities")]
    done = finish(argv)
    assert (done.returncode, done.stdout, done.stderr) == (10, "", "")
    argv = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command("nonsense", "--json")]
    done = finish(argv)
    assert done.returncode == 2
    assert one_line(done.stdout)["ok"] is False


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_quiet():
    argv = ["sh", "-c", 'exec "$@" >/dev/full', "sh", *command("--json", "health")]
    done = finish(argv)
    assert (done.returncode, done.stderr) == (10, "")


@posix
def test_an_interrupt_ends_in_one_envelope(backend):
    backend.answer(hang=True)
    keys = {**SECRETS, **({api.BASE_URL_KEY: backend.url} if api.BASE_URL_KEY else {})}
    with subprocess.Popen(
        command("--json", "health", url=backend.url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **keys},
    ) as process:
        backend.wait_for_request()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 10
    envelope = one_line(out)
    assert envelope["error"]["message"] == "interrupted"
    assert envelope["error"]["code"] == "INTERNAL_ERROR"
    assert err == ""


def test_text_survives_a_terminal_that_knows_only_ascii():
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    for words in (["--help"], ["capabilities"], ["capabilities", "--json"]):
        done = finish(command(*words), env=env)
        assert (done.returncode, done.stderr) == (0, "")


def test_health_answers_as_a_process_when_nobody_listens(nobody):
    keys = {**SECRETS}
    done = finish(
        command("--json", "health", url=nobody),
        env={**os.environ, **keys},
    )
    assert one_line(done.stdout)["data"]["status"] == "degraded"
