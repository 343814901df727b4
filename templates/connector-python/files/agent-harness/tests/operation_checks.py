"""Calls a command with every option it has and looks at the request that leaves.

`test_resource_*.py` say what to expect; this file works it out on its own,
without the code that is tested.
"""

import json
import re
from urllib.parse import quote

from contract_cases import COMMANDS
from fixture_server import Answer
from subject import api, gen

TEXTS = {"string": "a/b ä", "richtext": "*a*\nb", "number": "7", "boolean": "true"}
TEXTS |= {"list": "a b,c", "json": '{"k": [1, null]}'}
VALUES = {"string": "a/b ä", "richtext": "*a*\nb", "number": 7, "boolean": True}
VALUES |= {"list": ["a b", "c"], "json": {"k": [1, None]}}


def text_and_value(field):
    """What to type for a field, and what that means."""
    spec = gen.FIELDS[field]
    if spec["choices"]:
        return spec["choices"][-1], spec["choices"][-1]
    return TEXTS[spec["type"]], VALUES[spec["type"]]


def check_operation(command, expected, run, backend):
    """Run the command once and compare request and result with what is expected."""
    fields = [f for f in gen.COMMANDS[command]["options"] if f != "cursor"]
    argv, given = [], {}
    for field in fields:
        text, given[field] = text_and_value(field)
        argv += ["--" + field.replace("_", "-"), text]
    if expected["each"]:
        given["each_item"] = given[expected["each"]][0]
    body = reply_body(expected)
    backend.answer_in_turn(Answer(body=body))
    mode = COMMANDS[command]["mode"]
    data = run("--json", "--mode", mode, *COMMANDS[command]["argv"], *argv).data

    assert backend.requests, "no request was made: change or remove the entry in CASES"
    request = backend.requests[0]
    assert request.method == expected["method"]
    assert request.path == expected_path(expected["path"], given)
    check_values(expected, request, given)
    check_headers(request)
    check_result(expected, data, body, given)


def expected_path(template, given):
    def fill(found):
        safe = "/" if found.group(1) else ""
        return quote(wire(given[found.group(2)]), safe=safe)

    path = template.partition("?")[0]
    return re.sub(r"\{(\+?)(\w+)\}", fill, path)


def check_values(expected, request, given):
    rules = expected["paging"] or api.PAGING
    paging = {rules["limit"], rules["position"]} if expected["list"] else set()
    constants = expected["constants"]
    in_query = expected["method"] in ("GET", "HEAD")
    query = {w: given[field] for w, field in expected["query"].items()}
    query.update(constants if in_query else {})
    found = {}
    for name, text in request.query:
        found.setdefault(name, []).append(text)
    for name, value in query.items():
        many = isinstance(value, list) and name.endswith("[]")
        texts = [wire(item) for item in value] if many else [wire(value)]
        assert found.pop(name) == texts, name
    assert set(found) <= paging

    body = {w: given[field] for w, field in expected["body"].items()}
    body.update({} if in_query else constants)
    sent = request.body
    if body:
        for name, value in body.items():
            place = sent
            for key in name.split("."):
                place = place[key]
            if not any(other.startswith(name + ".") for other in body):
                assert place == value, name
    else:
        assert not set(sent or {}) - {name.split(".")[0] for name in paging}


def check_headers(request):
    for name, value in api.HEADERS.items():
        assert request.headers[name] == value
    assert request.headers["User-Agent"].startswith(gen.TOOL + "/")


def check_result(expected, data, body, given):
    assert not {"ok", "connectorId", "operation", "resource"} & set(data)
    if expected["each"]:
        targets = list(dict.fromkeys(given[expected["each"]]))
        assert data["items"] == [{"target": text, "ok": True} for text in targets]
        assert (data["succeeded"], data["failed"]) == (len(targets), 0)
    elif expected["list"]:
        assert [item["id"] for item in data["items"]] == ["11", "12"]
        same = expected["item_id"] == expected["item_name"]
        names = ["11", "12"] if same else ["one", "two"]
        assert [item["name"] for item in data["items"]] == names
        assert data["count"] == len(data[expected["result"]]) == 2
        assert data["has_more"] is (data["next_cursor"] is not None)
    else:
        assert data == {expected["result"] or "result": body}


def reply_body(expected):
    """A reply in the shape that the command expects."""
    if expected["method"] == "HEAD":
        body = {"http_status": 200}  # what stands for a reply without a body
    elif not expected["list"]:
        body = {"id": 11}
    else:
        body = [
            place({}, expected["item_id"], 11, expected["item_name"], "one"),
            place({}, expected["item_id"], 12, expected["item_name"], "two"),
        ]
        for key in reversed(expected["items"].split(".") if expected["items"] else []):
            body = {key: body}
    if api.ERROR_STYLE == "ok_field" and isinstance(body, dict):
        body["ok"] = True
    return body


def place(tree, *pairs):
    """Set values at dotted paths; the name goes first in case both are one."""
    for path, value in zip(pairs[2::-2], pairs[3::-2], strict=True):
        *parents, last = path.split(".")
        below = tree
        for parent in parents:
            below = below.setdefault(parent, {})
        below[last] = value
    return tree


def wire(value):
    """How a value looks in a URL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(wire(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    return str(value)
