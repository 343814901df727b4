"""Sizes of the lists of each preset, 30 full entries each: lists.py DIRECTORY, which holds `aos-NAME` connectors.

Prints `command|bytes|bytes of all fields|note`, a line each. Needs click; writes nothing, and calls only its own mock.
"""

import copy
import json
import os
import sys
import threading
import tomllib
from importlib import import_module
from pathlib import Path

from entries import ENTRIES

COUNT = 30
MOST = "900000"


def replaced(reply, entries):
    """The reply with its list in place of the samples: the first list that holds objects."""
    if isinstance(reply, list):
        return entries
    for name, value in reply.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return {**reply, name: entries}
    raise ValueError("the reply has no list")


def answered(main, words):
    """What a call writes to stdout."""
    reading, writing = os.pipe()
    saved = os.dup(1)
    os.dup2(writing, 1)
    os.close(writing)
    chunks = []

    def drain():
        while chunk := os.read(reading, 65536):
            chunks.append(chunk)

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        main(words)
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)
        reader.join()
        os.close(reading)
    return b"".join(chunks)


def rows(root, name):
    """The sizes of the lists of one connector."""
    harness = root / f"aos-{name}" / "agent-harness"
    sys.path.insert(0, str(harness))
    facts = tomllib.loads((harness.parent / "conform.toml").read_text(encoding="utf-8"))
    commands = {entry["id"]: entry for entry in facts["harness"]["commands"]}
    package = f"aos_{name}"
    main = import_module(f"{package}._runtime.cli").main
    gen = import_module(f"{package}.contract_gen")
    kit = import_module(f"{package}._runtime.testkit.backend")
    backend = kit.Backend()
    for key in gen.SERVICE_KEYS:
        os.environ[key] = "sample-value-of-a-key"
    os.environ[facts["base_url_env"]] = backend.url
    for command, entry in ENTRIES[name].items():
        known = commands[command]
        reply = json.loads(known["requests"][0]["reply"])
        entries = [copy.deepcopy(entry()) for _ in range(COUNT)]
        backend.answer(body=replaced(reply, entries))
        required = ["--" + field.replace("_", "-") for field in gen.COMMANDS[command]["required"]]
        given = zip(known["arguments"][::2], known["arguments"][1::2])
        arguments = [word for pair in given if pair[0] in required for word in pair]
        line = ["--json", *command.split("."), *arguments]
        small = answered(main, line)
        whole = answered(main, [*line, "--fields", "all", "--max-bytes", MOST])
        data = json.loads(small)["data"]
        shown = f"{data['count']} of {COUNT} entries"
        ratio = len(small) / len(whole)
        print(f"aos-{name} {command}|{len(small)}|{len(whole)}|bytes: default, all fields; {ratio:.2f}x, {shown}")


if __name__ == "__main__":
    for connector in ENTRIES:
        rows(Path(sys.argv[1]), connector)
