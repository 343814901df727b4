"""Cursors: whatever the API sends comes back to it unchanged, or is refused aloud."""

import random

import pytest
from subject import Answer, api, module

errors = module("errors")
Inputs = module("inputs").Inputs
CURSOR = {
    "style": "cursor",
    "limit": "size",
    "max_limit": 50,
    "position": "at",
    "next": "next",
    "more": "",
    "in": "query",
    "empty_ends": False,
    "last": "",
    "total": "",
    "cap": 0,
}
LINK = {**CURSOR, "style": "link", "next": ""}
SIGNS = "abz019~:/?#[]@!$&'()*+,;=%-._ \"\\\t\n\0\x7f\u00e9\u2028\U0001f600\ufffe"
KNOWN = ["~1~2", "~", "a://b", "https://x.y/?at=2", "0", " ", "%7E", "a b", "x" * 9000]
KNOWN += ['"', "'", "\\u0041", "null", "None", "1e3", "-1", "\x00", "../..", "~0~"]


def ask(rules, cursor=None, method="GET", path="/list", **inputs):
    """One page of a list."""
    given = {**inputs, **({} if cursor is None else {"cursor": cursor})}
    caller = module("operations").Api()
    return caller.list(method, path, Inputs(given), result="t", items="l", paging=rules)


def page(**members):
    things = [{"id": 1, "name": "n"}]
    return Answer(body={"ok": True, "l": things, "next": None, **members})


def drawn(seed):
    """A random cursor, the same for each seed."""
    chance = random.Random(seed)
    return "".join(chance.choices(SIGNS, k=chance.randint(1, 60)))


@pytest.mark.parametrize("place", ["query", "body"])
def test_every_cursor_comes_back_unchanged(backend, place):
    rules = {**CURSOR, "in": place}
    method = "GET" if place == "query" else "POST"
    sent = [*KNOWN, 0, 1, -7, 2**70, *map(drawn, range(60))]
    for cursor in sent:
        backend.answer_in_turn(page(next=cursor), page())
        found = ask(rules, method=method)
        assert found["has_more"] is True, cursor
        ask(rules, found["next_cursor"], method=method)
        request = backend.requests[1]
        if place == "body":
            assert request.body["at"] == cursor
        else:
            assert dict(request.query)["at"] == str(cursor)


def test_a_page_can_begin_after_the_last_entry_of_the_one_before_it(backend):
    rules = {**CURSOR, "next": "l.-1.id", "more": "more", "empty_ends": True}
    things = [{"id": at, "name": "n"} for at in (3, 4)]
    backend.answer_in_turn(page(l=things, more=True), page(l=[], more=False))
    found = ask(rules)
    assert found["has_more"] is True
    assert ask(rules, found["next_cursor"])["has_more"] is False
    assert dict(backend.requests[1].query)["at"] == "4"
    # An empty page before further ones is an error, not the end.
    backend.answer_in_turn(page(l=[], more=True))
    with pytest.raises(errors.BackendUnavailable):
        ask(rules)


@pytest.mark.parametrize("cut", [1, 3])
def test_a_page_in_pieces_keeps_its_cursor(backend, monkeypatch, cut):
    for cursor in ("~3~x", drawn(1)):
        things = [{"id": at, "name": "n"} for at in range(4)]
        backend.answer_in_turn(page(next=cursor), page(l=things))
        token, ids = ask(CURSOR)["next_cursor"], []
        while token:
            found = ask(CURSOR, token, limit=cut)
            ids += [item["id"] for item in found["items"]]
            token = found["next_cursor"]
        assert ids == ["0", "1", "2", "3"]
        for request in backend.requests[1:]:
            assert dict(request.query) == {"size": "30", "at": cursor}


@pytest.mark.parametrize("odd", ["", True, False, 1.5, [], ["a"], {}, {"a": 1}])
def test_a_cursor_that_is_none_is_a_failure_and_not_the_end(backend, odd):
    backend.answer_in_turn(page(next=odd))
    with pytest.raises(errors.BackendUnavailable) as caught:
        ask(CURSOR)
    assert caught.value.details["reason"] == "malformed_paging"


def test_a_cursor_that_cannot_be_sent_is_a_failure(backend, keys):
    secret = next(iter(keys.values()))
    for odd in (
        b'"\\ud800"',
        b'"' + b"x" * 20_001 + b'"',
        b'"a' + _json(secret) + b'"',
    ):
        body = b'{"ok": true, "l": [], "next": ' + odd + b"}"
        backend.answer_in_turn(Answer(body=body))
        with pytest.raises(errors.BackendUnavailable):
            ask(CURSOR)


def test_a_long_cursor_survives_a_result_that_is_cut(backend, monkeypatch):
    monkeypatch.setattr(api, "RESULT_BYTES", 60_000)
    cursor = "\0" * 3000
    things = [{"id": 1, "name": "n", "text": "x" * 90_000}]
    backend.answer_in_turn(
        Answer(body={"ok": True, "l": things, "next": cursor}), page()
    )
    found = module("sizes").bounded(ask(CURSOR), 60_000)
    assert found["truncated"] is True
    ask(CURSOR, found["next_cursor"])
    assert dict(backend.requests[1].query)["at"] == cursor


def _json(text):
    import json

    return json.dumps(text)[1:-1].encode()


@pytest.mark.parametrize(
    ("rules", "members"),
    [
        ({"more": "more"}, {"more": True}),
        ({"more": "more"}, {"more": True, "next": None}),
        ({"more": "more", "empty_ends": True}, {"more": True, "next": ""}),
        ({"more": "more"}, {"more": "yes", "next": "a"}),
        ({"next": "meta.next"}, {"meta": {"other": 1}}),
    ],
)
def test_more_without_a_way_to_it_is_a_failure(backend, rules, members):
    backend.answer_in_turn(page(**members))
    with pytest.raises(errors.BackendUnavailable) as caught:
        ask({**CURSOR, **rules})
    assert caught.value.details["reason"] == "malformed_paging"


def test_an_empty_page_with_a_next_one_goes_on(backend):
    backend.answer_in_turn(Answer(body={"ok": True, "l": [], "next": "a"}), page())
    found = ask(CURSOR)
    assert (found["items"], found["has_more"]) == ([], True)
    assert ask(CURSOR, found["next_cursor"])["count"] == 1


@pytest.mark.parametrize("size", [1, 2, 3, 12, 40])
def test_a_circle_of_pages_is_noticed(backend, size):
    turns = [page(next=f"c{turn % size}") for turn in range(size * 4 + 20)]
    backend.answer_in_turn(*turns)
    token, steps = None, 0
    with pytest.raises(errors.BackendUnavailable) as caught:
        while steps < len(turns):
            token = ask(CURSOR, token)["next_cursor"]
            steps += 1
    assert caught.value.details["reason"] == "malformed_paging"
    assert size > 8 or steps == size


def forged(token):
    """Cursors that this connector did not make."""
    yield from ("2", "~1~2", "x", "/user", "https://example.com/", "é", "\x00", " ")
    yield from (token.upper(), token + "a", token[:-1], "a" + token, token[::-1])
    yield from (token * 9000, "======", "aaaaaaaa", token + " ")
    for at in range(0, len(token), 7):
        yield token[:at] + ("b" if token[at] != "b" else "c") + token[at + 1 :]


def test_a_cursor_from_elsewhere_is_a_usage_error_and_never_sent(backend, monkeypatch):
    backend.answer_in_turn(page(next="abc"))
    token = ask(CURSOR)["next_cursor"]
    backend.requests.clear()
    for bad in forged(token):
        with pytest.raises(errors.InvalidUsage) as caught:
            ask(CURSOR, bad)
        assert caught.value.details == {"reason": "cursor"}
    other_calls = ({"path": "/other"}, {"method": "POST"}, {"state": "closed"})
    for other in other_calls:
        with pytest.raises(errors.InvalidUsage):
            ask(CURSOR, token, **other)
    monkeypatch.setenv(api.SECRET_KEY, "another-key-1234567")
    with pytest.raises(errors.InvalidUsage):
        ask(CURSOR, token)
    assert backend.requests == []


@pytest.mark.parametrize(
    "link",
    [
        "{url}/things/7?after=Y3%3D%3D&page=2&b=%20+",
        "/things/7?after=Y3%3D%3D&page=2&b=%20+",
        "{url}/things/7?after=a,b;c&page=2",
    ],
)
def test_a_link_is_followed_as_it_is(backend, link):
    link = link.format(url=backend.url)
    header = f'<{backend.url}/x>; rel="prev", <{link}>; title="a, \\"b\\"; c"; REL=Next'
    first = page()
    first.headers["Link"] = header
    backend.answer_in_turn(first, page())
    found = ask(LINK, limit=5)
    assert ask(LINK, found["next_cursor"], limit=5)["has_more"] is False
    assert backend.requests[1].target == link.removeprefix(backend.url)


@pytest.mark.parametrize(
    "link",
    [
        "https://example.com/things?page=2",
        "//example.com/things",
        "http://localhost:{port}/things",
        "https://127.0.0.1:{port}/things",
        "http://127.0.0.1:1/things",
        "http://user@127.0.0.1:{port}/things",
        "file:///etc/passwd",
    ],
)
def test_a_link_to_anywhere_else_is_refused(backend, link):
    answer = page()
    port = backend.url.rpartition(":")[2]
    answer.headers["Link"] = f'<{link.format(port=port)}>; rel="next"'
    backend.answer_in_turn(answer)
    with pytest.raises(errors.AuthError) as caught:
        ask(LINK)
    assert caught.value.details["reason"] == "other_host"
    assert len(backend.requests) == 1


@pytest.mark.parametrize(
    "header",
    [
        'next; rel="next"',
        '</a; rel="next"',
        '</a>; rel="next',
        '<>; rel="next"',
        '</a b>; rel="next"',
        '</a/%2e%2e/b>; rel="next"',
    ],
)
def test_a_broken_link_is_a_failure_and_not_the_end(backend, header):
    answer = page()
    answer.headers["Link"] = header
    backend.answer_in_turn(answer)
    with pytest.raises(errors.BackendUnavailable) as caught:
        ask(LINK)
    assert caught.value.details["reason"] == "malformed_paging"


def test_a_link_may_be_in_the_body_or_be_a_number_in_a_header(backend):
    backend.answer_in_turn(page(next=f"{backend.url}/b?c=1"), page())
    rules = {**LINK, "next": "next"}
    ask(rules, ask(rules)["next_cursor"])
    assert backend.requests[1].target == "/b?c=1"
    first = page()
    first.headers["X-Next-Page"] = "2"
    backend.answer_in_turn(first, page())
    rules = {**LINK, "next": "header:x-next-page"}
    ask(rules, ask(rules)["next_cursor"])
    assert dict(backend.requests[1].query) == {"size": "30", "at": "2"}


def test_a_limit_of_the_api_that_is_reached_is_told(backend):
    backend.answer_in_turn(page(next="a"), page())
    rules = {**CURSOR, "cap": 2}
    first = ask(rules)
    assert "complete" not in first
    last = ask(rules, first["next_cursor"])
    assert (last["complete"], last["incomplete_reason"]) == (False, "result_limit")
