"""Lists and bulk commands: nothing is lost between pages, nothing is doubled."""

import pytest
from subject import Answer, module
from subject import api as settings

errors = module("errors")
Inputs = module("inputs").Inputs
NUMBERS = [{"id": number, "name": f"n{number}", "url": "u"} for number in range(10)]
RULES = {
    "style": "page",
    "limit": "size",
    "max_limit": 4,
    "position": "at",
    "next": "next.cursor",
    "more": "",
    "in": "query",
    "empty_ends": False,
    "last": "",
    "total": "",
    "cap": 0,
}


@pytest.fixture
def walk(backend):
    """Read a list to its end: (all ids, number of pages)."""

    def read(rules, answers, limit, items="", method="GET"):
        ok = {"ok": True}
        bodies = [
            {**ok, **body} if isinstance(body, dict) else body for body in answers
        ]
        ids, cursor, pages = [], None, 0
        backend.answer_in_turn(*[Answer(body=body) for body in bodies])
        while pages == 0 or cursor:
            given = {"limit": limit, **({"cursor": cursor} if cursor else {})}
            found = (
                module("operations")
                .Api()
                .list(
                    method,
                    "/",
                    Inputs(given),
                    result="things",
                    items=items,
                    paging=rules,
                )
            )
            ids += [item["id"] for item in found["items"]]
            assert [str(thing["id"]) for thing in found["things"]] == [
                item["id"] for item in found["items"]
            ]
            assert found["has_more"] is (found["next_cursor"] is not None)
            cursor, pages = found["next_cursor"], pages + 1
            assert pages < 50
        return ids, pages

    return read


ALL = [str(number) for number in range(10)]


def test_pages_are_followed_by_number(walk, backend):
    # A short page is not the end.
    pages = [NUMBERS[:4], NUMBERS[4:7], NUMBERS[7:], []]
    assert walk(RULES, pages, 30) == (ALL, 4)
    assert [dict(request.query) for request in backend.requests] == [
        {"size": "4"},
        {"size": "4", "at": "2"},
        {"size": "4", "at": "3"},
        {"size": "4", "at": "4"},
    ]


@pytest.mark.parametrize("total", [10, 14])
def test_a_list_that_ends_before_its_total_says_so(backend, total):
    backend.answer(body={"ok": True, "l": NUMBERS, "total": total, "next": None})
    rules = {**RULES, "style": "link", "total": "total", "max_limit": 50}
    found = (
        module("operations")
        .Api()
        .list("GET", "/", Inputs(), result="t", items="l", paging=rules)
    )
    assert found["has_more"] is False
    assert ("complete" in found) is (total > 10)
    assert found.get("incomplete_reason", "") == (
        "fewer_than_total" if total > 10 else ""
    )


def test_cursors_are_followed(walk, backend):
    answers = [
        {"things": NUMBERS[:3], "next": {"cursor": "c/1"}},
        {"things": NUMBERS[3:], "next": {"cursor": ""}},
    ]
    rules = {**RULES, "style": "cursor", "max_limit": 20, "empty_ends": True}
    assert walk(rules, answers, 20, "things") == (ALL, 2)
    assert dict(backend.requests[1].query) == {"size": "20", "at": "c/1"}


def test_a_cursor_may_look_like_a_url_and_travel_in_a_body(walk, backend):
    answers = [
        {"things": NUMBERS[:3], "next": {"cursor": "https://x.y/?at=c1&z=1"}},
        {"things": NUMBERS[3:], "next": None},
    ]
    rules = {**RULES, "style": "cursor", "max_limit": 20, "in": "body"}
    assert walk(rules, answers, 20, "things", "POST") == (ALL, 2)
    assert backend.requests[1].body == {"size": 20, "at": "https://x.y/?at=c1&z=1"}


def test_a_cursor_counts_only_while_there_is_more(walk):
    answers = [{"things": NUMBERS, "next": {"cursor": "c"}, "more": False}]
    rules = {**RULES, "style": "cursor", "max_limit": 20, "more": "more"}
    assert walk(rules, answers, 20, "things") == (ALL, 1)


@pytest.mark.parametrize("more", ["", "total", "flag"])
def test_offsets_are_followed(walk, backend, more):
    answers = [
        {"things": NUMBERS[:4], "total": 10, "flag": True},
        {"things": NUMBERS[4:8], "total": 10, "flag": True},
        {"things": NUMBERS[8:], "total": 10, "flag": False},
        {"things": []},
    ]
    rules = {**RULES, "style": "offset", "more": more}
    places = [None, "4", "8"] + ([] if more else ["10"])
    assert walk(rules, answers, 4, "things") == (ALL, len(places))
    assert [dict(request.query).get("at") for request in backend.requests] == places


def test_a_list_without_pages_is_handed_out_in_pieces(walk, backend):
    rules = {**RULES, "style": "none", "max_limit": 100}
    assert walk(rules, [NUMBERS], 3) == (ALL, 4)
    assert all(request.query == [] for request in backend.requests)


def test_a_page_that_is_too_large_is_handed_out_in_pieces(walk, monkeypatch):
    monkeypatch.setattr(settings, "RESULT_BYTES", 1_700)
    rules = {**RULES, "style": "none", "max_limit": 50}
    assert walk(rules, [NUMBERS], 50)[0] == ALL


def test_one_item_that_is_too_large_is_cut(backend, monkeypatch):
    monkeypatch.setattr(settings, "RESULT_BYTES", 2_000)
    backend.answer(body=[{"id": 1, "name": "n", "text": "x" * 5000}])
    found = (
        module("operations").Api().list("GET", "/", Inputs(), result="t", paging=RULES)
    )
    assert found["truncated"] is True
    assert len(found["t"][0]["text"]) < 1000


@pytest.mark.parametrize(
    "given", [{"limit": 0}, {"limit": -1}, {"cursor": "x"}, {"cursor": "~x~1"}]
)
def test_wrong_places_in_a_list_are_usage_errors(backend, given):
    with pytest.raises(errors.InvalidUsage):
        module("operations").Api().list(
            "GET", "/", Inputs(given), result="t", paging=RULES
        )
    assert backend.requests == []


def test_a_reply_without_the_list_is_a_failure(backend):
    backend.answer(body={"ok": True, "other": []})
    with pytest.raises(errors.BackendUnavailable):
        module("operations").Api().list(
            "GET", "/", Inputs(), result="t", items="things", paging=RULES
        )


def each(targets):
    """Run a bulk command over targets; each one is a request."""
    api = module("operations").Api()

    def run(item):
        return api.send("DELETE", "/things/{each_item}", item)

    return api.each(Inputs(things=targets), "things", run)


def test_a_failed_target_does_not_stop_the_others(backend):
    backend.answer_in_turn(Answer(), Answer(404), Answer(204, b""))
    result = each(["a", "b", "b", "c"])
    assert [item["ok"] for item in result["items"]] == [True, False, True]
    assert result["items"][1]["error"]["code"] == "NOT_FOUND"
    assert (result["succeeded"], result["failed"]) == (2, 1)
    assert [request.path for request in backend.requests] == [
        "/things/a",
        "/things/b",
        "/things/c",
    ]


def test_a_backend_that_fails_stops_the_rest(backend):
    backend.answer_in_turn(Answer(), Answer(503))
    result = each(["a", "b", "c"])
    assert len(backend.requests) == 2
    assert result["items"][2]["error"]["message"] == "not attempted"


def test_when_every_target_fails_the_command_fails(backend):
    backend.answer(404)
    with pytest.raises(errors.NotFound) as caught:
        each(["a", "b"])
    assert [item["ok"] for item in caught.value.details["items"]] == [False, False]


def test_targets_are_the_same_when_they_look_the_same_in_a_request(backend):
    result = each([1.0, 1, "1", "1.0", "a", "A"])
    assert [item["target"] for item in result["items"]] == [1.0, 1, "a", "A"]
    assert [request.path for request in backend.requests] == [
        "/things/1.0",
        "/things/1",
        "/things/a",
        "/things/A",
    ]


@pytest.mark.parametrize("odd", [True, False, None, {"a": 1}, [1], [[1]]])
def test_a_target_is_a_text_or_a_number(backend, odd):
    for targets in ([odd], [odd, 1], ["a", odd]):
        with pytest.raises(errors.InvalidUsage) as caught:
            each(targets)
        assert "`--things`" in caught.value.message
    assert backend.requests == []


@pytest.mark.parametrize("target", ["", ".", ".."])
def test_a_target_that_leads_elsewhere_is_told_with_its_option(backend, target):
    with pytest.raises(errors.InvalidUsage) as caught:
        each([target])
    assert "`--things`" in caught.value.message
    result = each(["a", target])
    assert "`--things`" in result["items"][1]["error"]["message"]


def test_there_is_a_limit_to_bulk(backend):
    with pytest.raises(errors.InvalidUsage):
        each([str(number) for number in range(101)])
    assert backend.requests == []


def test_bodies_are_nested():
    nest = module("operations").nest
    value = {"k": 1}
    assert nest({"a.b": 1, "a.c.d": 2, "e": value, "e.f": 3}) == {
        "a": {"b": 1, "c": {"d": 2}},
        "e": {"k": 1, "f": 3},
    }
    assert value == {"k": 1}


def test_an_answer_without_content_says_what_was_done(backend):
    backend.answer(204, body=b"")
    given = Inputs(item_id="a/1", title="t")
    data = module("operations").Api().send("DELETE", "/items/{item_id}", given)
    assert data == {"done": True, "http_status": 204, "item_id": "a/1"}
