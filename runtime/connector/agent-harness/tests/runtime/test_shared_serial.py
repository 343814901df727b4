"""Requests are written as in every language: the shared fixture `serial.json`."""

import pytest
from shared import fixture
from subject import module

errors = module("errors")
serial = module("serial")
urls = module("urls")
SHARED = fixture("serial.json")


def written(row):
    """Return the value that is sent for a parameter."""
    value, style = row["value"], row["style"]
    if row["in"] == "query":
        return serial.query_string({"color": value}, {"color": style} if style else {})
    if row["in"] == "header":
        return serial.header_text("color", value, style)
    given = module("inputs").Inputs({"color": value})
    texts = serial.path_texts(given, {"{color}": style}) if style else {}
    return urls.fill("/x/{color}", given, texts).removeprefix("/x/")


@pytest.mark.parametrize("row", SHARED["parameters"], ids=str)
def test_parameters(row):
    if row["text"] is None:
        with pytest.raises(errors.InvalidUsage):
            written(row)
        return
    assert written(row) == row["text"]


@pytest.mark.parametrize("row", SHARED["forms"], ids=lambda row: row["case"])
def test_forms(row):
    members = row["members"]
    values = {each["name"]: each["value"] for each in members}
    styles = {each["name"]: each["style"] for each in members if each["style"]}
    files = {each["name"] for each in members if each["kind"] == "file"}
    content, kind = serial.body(values, row["content_type"], styles, files)
    text, boundary = content.decode(), kind.partition("boundary=")[2]
    assert (text.replace(boundary, "{boundary}") if boundary else text) == row["sent"]


@pytest.mark.parametrize("row", SHARED["typed"], ids=lambda row: repr(row["text"]))
def test_texts_that_are_numbers(row):
    if row["sent"] is None:
        with pytest.raises(errors.InvalidUsage):
            serial.typed("color", row["text"])
        return
    found = serial.typed("color", row["text"])
    assert (type(found) is bool, found) == (type(row["sent"]) is bool, row["sent"])
