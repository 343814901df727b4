"""Long texts from files and stdin, and texts that only look like those."""

import os
import subprocess
import sys

import pytest
from subject import HARNESS, add, module

inputs = module("inputs")
errors = module("errors")
sources = module("sources")
Invocation = module("invocation").Invocation

FIELDS = {"words": "richtext", "more": "richtext", "shape": "json", "name": "string"}


@pytest.fixture(autouse=True)
def note_command(monkeypatch, tmp_path):
    """A command that takes long texts, called in a directory of its own."""
    plain = {"choices": None, "default": None, "help": ""}
    fields = {field: {"type": kind, **plain} for field, kind in FIELDS.items()}
    add(monkeypatch, "FIELDS", fields)
    spec = {"required_mode": "readonly", "summary": "", "required": ()}
    spec.update(options=tuple(FIELDS), action_class="write")
    add(monkeypatch, "COMMANDS", {"note.make": spec})
    monkeypatch.chdir(tmp_path)


def read(*words):
    call = Invocation(["note", "make", *words])
    return inputs.read("note.make", module("options").parse("note.make", call.options))


def fails(*words):
    with pytest.raises(errors.InvalidUsage) as caught:
        read(*words)
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize(
    "path", ["a.md", "./a.md", "sub/a.txt", "./plain", "./two words.md"]
)
def test_a_file_below_the_current_directory_is_read_and_noted(tmp_path, path, capfd):
    place = tmp_path / path
    place.parent.mkdir(exist_ok=True)
    place.write_bytes("ä\nline\n".encode())
    found = read("--words", f"@{path}")
    assert found == {"words": "ä\nline\n"}
    assert found.sources == ({"option": "--words", "from": path, "bytes": 8},)
    assert "8 bytes read" in capfd.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "@team please look",
        "@alice",
        "@org/team",
        "@john.doe",
        "@acme.org",
        "@a.md and @b.md",
        "@notes.md\nsecond line",
        "@./x\nsecond line",
        "@",
        "a@b.md",
        "- first point",
        "--",
    ],
)
def test_a_text_that_only_looks_like_a_file_stays_a_text(text):
    found = read(f"--words={text}")
    assert (found["words"], found.sources) == (text, ())


@pytest.mark.parametrize(
    ("text", "meant"), [("@@a.md", "@a.md"), ("@@", "@"), ("@@@x", "@@x")]
)
def test_two_signs_stand_for_one(text, meant):
    assert read("--words", text)["words"] == meant


def test_only_long_texts_read_anything(tmp_path):
    (tmp_path / "a.md").write_text("content")
    found = read("--name", "@a.md")
    assert (found["name"], found.sources) == ("@a.md", ())
    assert read("--name", "-")["name"] == "-"
    assert read("--name", "@@a.md")["name"] == "@@a.md"


def test_json_comes_from_a_file_of_any_name(tmp_path):
    (tmp_path / "shape").write_text('{"a": [1]}')
    assert read("--shape", "@shape") == {"shape": {"a": [1]}}
    (tmp_path / "shape").write_text("{")
    assert "not valid JSON" in fails_plainly("--shape", "@shape")
    assert "no such file" in fails("--shape", "@nowhere")


def fails_plainly(*words):
    with pytest.raises(errors.InvalidUsage) as caught:
        read(*words)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@missing.md", "no such file"),
        ("@/etc/passwd", "not below the current directory"),
        ("@/etc/hosts.txt", "not below the current directory"),
        ("@~/.ssh/id_rsa", "not below the current directory"),
        ("@../outside.md", "not below the current directory"),
        ("@./.env", "hidden"),
        ("@.hidden/a.md", "hidden"),
        ("@outward.md", "not below the current directory"),
        ("@inward.md", "hidden"),
        ("@./id_rsa", "like that of a secret"),
        ("@my-token.txt", "like that of a secret"),
        ("@./server.pem", "like that of a secret"),
        ("@directory.md", "it is a directory"),
        ("@binary.txt", "not UTF-8"),
        ("@latin.txt", "not UTF-8"),
        ("@empty.md", "is empty"),
        ("@large.md", "larger than"),
        ("@key.md", "private key"),
        ("@./\0.md", "cannot read"),
        ("@./" + "x" * 5000, "cannot read"),
        ("@plain", "could mean the file or the text"),
    ],
)
def test_a_file_that_may_not_or_cannot_be_read_is_refused(tmp_path, text, reason):
    (tmp_path.parent / "outside.md").write_text("outside")
    for name in (".env", "id_rsa", "my-token.txt", "server.pem", "plain"):
        (tmp_path / name).write_text("content")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.md").write_text("content")
    (tmp_path / "outward.md").symlink_to(tmp_path.parent / "outside.md")
    (tmp_path / "inward.md").symlink_to(".env")
    (tmp_path / "directory.md").mkdir()
    (tmp_path / "binary.txt").write_bytes(b"a\0b")
    (tmp_path / "latin.txt").write_bytes(b"\xe4")
    (tmp_path / "empty.md").write_bytes(b"")
    (tmp_path / "large.md").write_bytes(b"a" * (sources.MAX_BYTES + 1))
    (tmp_path / "key.md").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
    assert reason in fails("--words", text)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    assert "not a regular file" in fails("--words", "@pipe.md")


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
sources = import_module(sys.argv[2] + ".sources")
errors = import_module(sys.argv[2] + ".errors")
found = sources.Sources()
try:
    for field in sys.argv[3:]:
        print(repr(found.resolve(field, "richtext", "-")))
except errors.InvalidUsage as error:
    print(error.message)
"""


def stdin(*fields, **streams):
    package = sources.__name__.rpartition(".")[0]
    call = [sys.executable, "-c", SCRIPT, str(HARNESS), package]
    call += fields or ("words",)
    done = subprocess.run(
        call, stdout=subprocess.PIPE, timeout=60, check=False, **streams
    )
    return done.stdout.decode().strip()


def test_stdin_is_read_once_whole_and_bounded(tmp_path):
    assert stdin(input=b"one\ntwo\n") == r"'one\ntwo\n'"
    assert "both read stdin" in stdin("words", "more", input=b"one")
    assert "larger than" in stdin(input=b"a" * (sources.MAX_BYTES + 1))
    assert "not UTF-8" in stdin(input=b"\xff")
    assert "is empty" in stdin(input=b"")
    (tmp_path / "text").write_text("from a file")
    with open(tmp_path / "text") as file:
        assert stdin(stdin=file) == "'from a file'"


def test_a_dash_is_a_text_where_nobody_writes_to_stdin():
    """A form value `-`: the host leaves a socket open and never writes to it."""
    import socket

    assert stdin(stdin=subprocess.DEVNULL) == "'-'"
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert stdin(stdin=theirs) == "'-'"
        ours.sendall(b"fed")
        ours.shutdown(socket.SHUT_WR)
        assert stdin(stdin=theirs) == "'fed'"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_is_never_read():
    import pty

    ours, theirs = pty.openpty()
    try:
        assert "which is a terminal" in stdin(stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)


def test_the_help_of_a_command_says_how_a_long_text_is_given(run):
    help_text = run("note", "make", "--help").out
    assert "TEXT|@FILE|-" in help_text
    assert "@@ stands for a" in help_text
