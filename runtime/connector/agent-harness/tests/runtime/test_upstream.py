"""How a failure is told from others, how long to wait, and what is only a part."""

import json
import time
from email.utils import formatdate

import pytest
from subject import Answer, api, module

NOW = 1_800_000_000
DATE = formatdate(NOW, usegmt=True)
WAITS = [
    ("7", 7),
    (7, 7),
    ("0", 0),
    ("2.2", 3),
    ("86400", 86400),
    ("200000", 86400),
    ("7, 9", 7),
    (str(NOW + 30), 31),
    (str((NOW + 30) * 1000), 31),
    (NOW - 5, 1),
    (formatdate(NOW + 90, usegmt=True), 91),
    (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW + 60)), 61),
    (time.strftime("%Y-%m-%dT%H:%M+00:00", time.gmtime(NOW + 60))[:16] + "Z", 1),
    ("-5", None),
    (-5, None),
    ("soon", None),
    ("", None),
    (None, None),
    (True, None),
    ([7], None),
    ("1e3", None),
    ("٣", None),
    ("9" * 15, None),
    ("9" * 400, None),
    (NOW + 400 * 86400, None),
    ((NOW + 400 * 86400) * 1000, None),
    (NOW - 4000, None),
    ("Wed, 99 Foo 2026 00:00:00 GMT", None),
    ("2026-99-99T00:00Z", None),
    (float("inf"), None),
]


@pytest.mark.parametrize(("told", "wait"), WAITS)
def test_a_wait_is_read_in_every_form(told, wait, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: NOW)
    seconds = module("waits").seconds
    for date in (None, DATE, "nonsense", formatdate(NOW - 99 * 86400)):
        found = seconds(told, date)
        if wait == 1 and isinstance(told, str):
            assert found is None or 0 <= found <= 61
        else:
            assert found == wait, date


@pytest.fixture
def refused(backend, monkeypatch):
    """The failure that one answer becomes, under one rule."""

    def ask(rules, **answer):
        monkeypatch.setattr(api, "FAILURES", rules)
        backend.answer(**answer)
        with pytest.raises(module("errors").ConnectorError) as caught:
            module("operations").Api().send("GET", "/", module("inputs").Inputs())
        return caught.value

    return ask


@pytest.mark.parametrize("kind", module("replies").KINDS)
def test_a_rule_of_the_api_decides(refused, kind):
    rule = {"is": kind, "status": [418], "header": {"x-why": "be*"}}
    rule |= {"body": {"errors.*.code|code": ["lim?t*"]}, "tell": {"needed": "scopes.*"}}
    body = {"errors": [{"code": "a"}, {"code": "LIMITED"}], "scopes": ["s1", "s2"]}
    error = refused([rule], status=418, body=body, headers={"X-Why": "Because"})
    assert error.details["reason"] == kind
    assert error.details["needed"] == "s1, s2"
    assert isinstance(error, module("replies").KINDS[kind][0])
    is_transient = error.code == "BACKEND_UNAVAILABLE"
    assert error.retryable is is_transient or not error.retryable
    assert ("retry_after_s" in error.details) is (kind == "rate_limited")
    for changed in ({"status": 417}, {"body": {"errors": 1}}, {"body": b"no"}):
        answer = {"status": 418, "body": body, "headers": {"X-Why": "b"}, **changed}
        other = refused([rule], **answer)
        assert other.details["reason"] == "validation"


def test_a_success_is_a_failure_only_when_a_rule_says_so(refused, backend):
    rule = {"is": "auth", "status": [200], "header": {"x-login": "*failed*"}}
    error = refused([rule], headers={"X-Login": "IT_FAILED"}, body={"list": []})
    assert error.code == "AUTH_ERROR"
    backend.answer(body={"ok": True})
    module("operations").Api().send("GET", "/", module("inputs").Inputs())


def test_a_limit_without_a_wait_gets_the_usual_one(refused):
    assert refused([], status=429).details["retry_after_s"] == api.RATE_WAIT
    rule = {"is": "rate_limited", "status": [403], "wait": 5}
    assert refused([rule], status=403).details["retry_after_s"] == 5
    told = refused([rule], status=403, headers={"Retry-After": "70"})
    assert told.details["retry_after_s"] == (
        70 if "header:retry-after" in api.WAITS else 5
    )


def test_a_wait_is_lost_only_when_it_shows_a_part_of_a_key(refused, monkeypatch):
    monkeypatch.setattr(api, "WAITS", ["header:x-until", "header:x-wait"])
    until = str(NOW + 30)
    # The digits of a time may happen to stand in a key; its seconds from now do not.
    monkeypatch.setenv(api.SECRET_KEY, f"zz-{until}-zz7312zz")
    told = refused([], status=429, headers={"X-Until": until, "Date": DATE})
    assert told.details["retry_after_s"] == 31
    told = refused([], status=429, headers={"X-Wait": "7312"})
    assert told.details["retry_after_s"] == api.RATE_WAIT


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"message": {"title": ["can't be blank"]}}, "title: can't be blank"),
        ({"message": {"error": "no"}}, "error: no"),
        ({"error": {"type": "A_TYPE"}}, "A_TYPE"),
        ({"error": "NOT_FOUND"}, "NOT_FOUND"),
        ({"errors": {"field": "bad"}}, "field: bad"),
        ({"message": {"a": {"b": {"c": {"d": {"e": "deep"}}}}}}, None),
    ],
)
def test_the_reason_of_a_failure_is_found(refused, body, told):
    error = refused([], status=400, body=body)
    assert error.details.get("upstream_message") == told


SIGNS = [
    ({"at": "part", "equals": True}, {"part": True}, {"part": 1}),
    ({"at": "n", "above": 10}, {"n": 11}, {"n": 10}),
    ({"at": "n", "above": 10}, {"n": 10.5}, {"n": "11"}),
    ({"at": "notes"}, {"notes": ["x"]}, {"notes": []}),
    ({"at": "all.*.more", "equals": True}, {"all": [{}, {"more": True}]}, {"all": []}),
    ({"at": "n", "list": "of"}, {"n": 3, "of": [1, 2]}, {"n": 2, "of": [1, 2]}),
    ({"at": "header:x-part"}, {}, {}),
]


@pytest.mark.parametrize(("sign", "part", "whole"), SIGNS)
@pytest.mark.parametrize("is_list", [True, False])
def test_a_part_is_never_handed_out_as_all(
    backend, monkeypatch, sign, part, whole, is_list
):
    sign = {"reason": "cut", "text": "it was cut", **sign}
    monkeypatch.setattr(api, "PARTIAL", [sign])
    headers = {"X-Part": "1"} if sign["at"].startswith("header:") else {}
    operations, inputs = module("operations"), module("inputs").Inputs()
    for body, sent, expected in ((part, headers, False), (whole, {}, None)):
        backend.answer_in_turn(Answer(body={"ok": True, "l": [], **body}, headers=sent))
        caller = operations.Api()
        if is_list:
            data = caller.list("GET", "/", inputs, result="t", items="l")
        else:
            data = caller.marked({"thing": caller.send("GET", "/", inputs)})
        assert data.get("complete") is expected
        assert data.get("incomplete_reason") == (None if expected is None else "cut")


def test_a_sign_counts_for_its_operations_only(backend, monkeypatch):
    sign = {"reason": "cut", "text": "it was cut", "at": "n", "path": "/search/*"}
    monkeypatch.setattr(api, "PARTIAL", [sign])
    backend.answer(body={"ok": True, "n": 1})
    for path, count in (("/search/a", 1), ("/other", 0)):
        caller = module("operations").Api()
        caller.send("GET", path, module("inputs").Inputs())
        assert len(caller.doubts) == count


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"error": {"text": "No"}}, "No"),
        ({"faults": [{"why": "Bad"}, {"why": "Worse"}]}, "Bad; Worse"),
        ({"error": {"code": 7, "text": "Deep"}, "message": "Shallow"}, "Deep"),
        ({"message": "Usual"}, "Usual"),
    ],
)
def test_a_message_is_found_where_the_settings_say(monkeypatch, body, told):
    monkeypatch.setattr(api, "MESSAGES", ["error.text", "faults.*.why"])
    reply = module("client").Reply(400, {}, json.dumps(body).encode())
    assert module("replies").upstream_message(reply) == told
