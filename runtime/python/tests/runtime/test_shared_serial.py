"""Requests are written as in every language: the shared fixture `serial.json`."""

from __future__ import annotations

from typing import Any

import pytest

from acme_tool._runtime.described import requests, serial
from acme_tool._runtime.fault import Fault
from tests.runtime.shared import fixture

SHARED = fixture("serial.json")


def entry(name: str, place: str, style: str, kind: str = "") -> dict[str, Any]:
    """Return an input of the table."""
    return {"name": name, "flag": name, "place": place, "style": style, "kind": kind}


def operation(path: str, kind: str = "") -> dict[str, Any]:
    """Return an operation of the table."""
    common = {"method": "POST", "reply": "json", "public": False}
    return {"path": path, "content_type": kind, **common}


def sent(kind: str, given: requests.Given) -> str:
    """Return the body that is sent, with a boundary that is always the same."""
    data = requests.ask(operation("/x", kind), given).data
    assert data is not None
    media_type, content = data
    boundary = media_type.partition("boundary=")[2]
    text = content.decode()
    return text.replace(boundary, "{boundary}") if boundary else text


@pytest.mark.parametrize("row", SHARED["parameters"], ids=str)
def test_parameters(row: dict[str, Any]) -> None:
    given = [(entry("color", row["in"], row["style"]), row["value"])]
    path = "/x/{color}/y" if row["in"] == "path" else "/x"
    if row["text"] is None:
        with pytest.raises(Fault):
            requests.ask(operation(path), given)
        return
    ask = requests.ask(operation(path), given)
    found = {
        "query": ask.target.partition("?")[2],
        "path": ask.target.removeprefix("/x/").removesuffix("/y"),
        "header": ask.headers.get("color"),
    }
    assert found[row["in"]] == row["text"]


@pytest.mark.parametrize("row", SHARED["forms"], ids=lambda row: row["case"])
def test_forms(row: dict[str, Any]) -> None:
    given = []
    for each in row["members"]:
        place = "body" if each["name"] else "whole"
        found = entry(each["name"], place, each["style"], each["kind"])
        given.append((found, each["value"]))
    assert sent(row["content_type"], given) == row["sent"]


@pytest.mark.parametrize("row", SHARED["json"], ids=lambda row: row["case"])
def test_documents(row: dict[str, Any]) -> None:
    members = row["members"].items()
    given = [(entry(name, "body", ""), value) for name, value in members]
    assert sent("application/json", given) == row["sent"]


@pytest.mark.parametrize("row", SHARED["typed"], ids=lambda row: repr(row["text"]))
def test_texts_that_are_numbers(row: dict[str, Any]) -> None:
    if row["sent"] is None:
        with pytest.raises(Fault):
            serial.typed("color", row["text"])
        return
    found = serial.typed("color", row["text"])
    assert (type(found) is bool, found) == (type(row["sent"]) is bool, row["sent"])
