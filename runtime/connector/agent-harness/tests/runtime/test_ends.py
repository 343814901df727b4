"""Ends of lists: none is complete before the API has said so."""

import pytest
from subject import Answer, module

errors = module("errors")
Inputs = module("inputs").Inputs
PAGE = {
    "style": "page",
    "limit": "size",
    "max_limit": 50,
    "position": "at",
    "next": "",
    "more": "",
    "in": "query",
    "empty_ends": False,
    "last": "",
    "total": "",
    "cap": 0,
}
CURSOR = {**PAGE, "style": "cursor", "next": "next"}
LINK = {**PAGE, "style": "link"}
FIVE = [{"id": str(at), "name": "n"} for at in range(1, 6)]
IDS = [entry["id"] for entry in FIVE]
OTHER = '</style.css>; rel="preload"; as=style'


def ask(rules, cursor=None):
    """One page of a list, of at most two entries."""
    given = {"limit": 2, **({"cursor": cursor} if cursor else {})}
    caller = module("operations").Api()
    return caller.list(
        "GET", "/list", Inputs(given), result="t", items="l", paging=rules
    )


def read(rules):
    """Read a list to its end: (all ids, the last page)."""
    ids, found = [], None
    while found is None or found["has_more"]:
        found = ask(rules, found and found["next_cursor"])
        ids += [entry["id"] for entry in found["items"]]
        assert len(ids) <= len(IDS)
    return ids, found


def page(number, link="", status=200, **members):
    """A page of the five entries; the third has the last one."""
    entries = FIVE[2 * number - 2 : 2 * number]
    headers = {"Link": link} if link else {}
    return Answer(status, {"ok": True, "l": entries, **members}, headers)


def next_link(number):
    return f'</list?size=2&at={number}>; rel="next"'


def is_malformed(rules):
    with pytest.raises(errors.BackendUnavailable) as caught:
        read(rules)
    return caught.value.details["reason"] == "malformed_paging"


@pytest.mark.parametrize("link", [OTHER, '</list?at=1>; rel="first"'])
@pytest.mark.parametrize("pages", [(1,), (1, 2, 3, 4)])
def test_a_link_header_about_something_else_ends_no_list(backend, link, pages):
    turns = [page(at, link if at in pages else "") for at in (1, 2, 3, 4)]
    backend.answer_in_turn(*turns)
    ids, last = read(PAGE)
    assert (ids, "complete" in last) == (IDS, False)
    numbered = {**LINK, "next": "links.next"}
    nexts = ["/list?at=2", "/list?at=3", None]
    turns = [
        page(at, link if at in pages else "", links={"next": text})
        for at, text in enumerate(nexts, start=1)
    ]
    backend.answer_in_turn(*turns)
    assert read(numbered)[0] == IDS


@pytest.mark.parametrize("last", ["", OTHER])
@pytest.mark.parametrize("rules", [PAGE, LINK])
def test_pages_that_are_linked_end_where_no_link_leads_on(backend, rules, last):
    turns = [page(1, next_link(2)), page(2, next_link(3)), page(3, last)]
    backend.answer_in_turn(*turns)
    ids, found = read(rules)
    assert (ids, "complete" in found) == (IDS, False)
    assert [request.target for request in backend.requests[1:]] == [
        "/list?size=2&at=2",
        "/list?size=2&at=3",
    ]


@pytest.mark.parametrize("rules", [PAGE, LINK])
@pytest.mark.parametrize("more", [True, 1, "true"])
def test_more_after_the_last_link_is_a_failure(backend, rules, more):
    backend.answer_in_turn(page(1, next_link(2)), page(2, more=more))
    assert is_malformed({**rules, "more": "more"})


@pytest.mark.parametrize(
    ("rules", "place"),
    [(CURSOR, "next"), (CURSOR, "meta.next"), (LINK, "next"), (LINK, "links.next")],
)
@pytest.mark.parametrize("members", [{}, {"Next": "a", "Meta": {"next": "a"}}])
def test_a_place_that_is_missing_is_not_the_end(backend, rules, place, members):
    backend.answer_in_turn(page(1, **members))
    assert is_malformed({**rules, "next": place})
    backend.answer_in_turn(page(1, **members))
    assert ask({**rules, "next": place, "empty_ends": True})["has_more"] is False
    backend.answer_in_turn(page(1, **{place.partition(".")[0]: None}))
    assert ask({**rules, "next": place})["has_more"] is False


@pytest.mark.parametrize("rules", [CURSOR, LINK])
@pytest.mark.parametrize("end", ["", False, 0])
def test_an_empty_next_page_ends_a_list_where_the_api_says_so(backend, rules, end):
    rules = {**rules, "next": "next", "empty_ends": True}
    backend.answer_in_turn(page(1, next="/list?at=2"), page(2, next=end))
    assert read(rules)[0] == IDS[:4]
    backend.answer_in_turn(page(1, next=end, more=True))
    assert is_malformed({**rules, "more": "more"})


def test_an_object_for_the_next_page_that_is_empty_is_not_the_end(backend):
    rules = {**CURSOR, "next": "paging.next.after", "empty_ends": True}
    backend.answer_in_turn(page(1, paging={"next": {}}))
    assert is_malformed(rules)
    for members in ({}, {"paging": {}}, {"paging": {"next": None}}):
        backend.answer_in_turn(page(1, **members))
        assert ask(rules)["has_more"] is False


@pytest.mark.parametrize("style", ["page", "offset"])
@pytest.mark.parametrize(
    "told", [(1, 1, 0), (True, True, False), ("true", "True", "false"), (5, 5, 5)]
)
def test_more_is_a_truth_value_or_a_count(backend, style, told):
    rules = {**PAGE, "style": style, "more": "more"}
    pages = [page(at, more=more) for at, more in enumerate(told, start=1)]
    backend.answer_in_turn(*pages)
    ids, last = read(rules)
    assert (ids, "complete" in last) == (IDS, False)
    assert len(backend.requests) == 3


def test_one_entry_and_one_in_all_is_the_end_where_it_is_the_total(backend):
    rules = {**PAGE, "more": "more"}
    one = Answer(body={"ok": True, "l": FIVE[:1], "more": 1})
    backend.answer_in_turn(one)
    assert ask({**rules, "total": "more"})["has_more"] is False
    # Otherwise it may mean that there is more.
    backend.answer_in_turn(one, Answer(body={"ok": True, "l": FIVE[1:2], "more": 0}))
    assert read(rules)[0] == IDS[:2]


@pytest.mark.parametrize("odd", ["yes", [], {}, 1.5])
def test_more_that_says_neither_is_a_failure(backend, odd):
    backend.answer_in_turn(page(1, more=odd))
    assert is_malformed({**PAGE, "more": "more"})


@pytest.mark.parametrize("unknown", [None, "", -1])
def test_a_count_that_is_unknown_ends_no_list(backend, unknown):
    pages = [page(at, more=unknown) for at in (1, 2, 3, 4)]
    backend.answer_in_turn(*pages)
    assert read({**PAGE, "more": "more"})[0] == IDS


def test_a_list_that_ends_before_its_count_says_so(backend):
    rules = {**PAGE, "more": "more"}
    backend.answer_in_turn(*[page(at, more=7) for at in (1, 2, 3, 4)])
    ids, last = read(rules)
    assert (ids, last["incomplete_reason"]) == (IDS, "fewer_than_total")
    backend.answer_in_turn(page(1, next_link(2), more=7), page(2, more=7))
    assert read(rules)[1]["incomplete_reason"] == "fewer_than_total"


@pytest.mark.parametrize(
    ("rules", "members", "reason"),
    [
        (PAGE, {}, None),
        ({**PAGE, "more": "more"}, {"more": True}, "no_content"),
        ({**PAGE, "last": "last"}, {"last": False}, "no_content"),
        (CURSOR, {"next": "a"}, "no_content"),
        (LINK, {"link": next_link(2)}, "no_content"),
        (PAGE, {"link": next_link(2)}, "no_content"),
    ],
)
def test_a_page_that_was_promised_and_is_empty_is_no_quiet_end(
    backend, rules, members, reason
):
    backend.answer_in_turn(page(1, **members), Answer(204, b""))
    ids, last = read(rules)
    assert ids == IDS[:2]
    assert last.get("incomplete_reason") == reason
    assert last.get("complete") is (False if reason else None)
    backend.answer_in_turn(Answer(204, b""))
    assert "complete" not in ask(rules)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(202, "not_ready"), (203, "altered"), (206, "partial_content")],
)
def test_a_status_that_says_less_than_ok_marks_the_answer(backend, status, reason):
    backend.answer(status, {"ok": True, "l": [], "next": None})
    assert ask(CURSOR)["incomplete_reason"] == reason
    for method in ("GET", "POST"):
        caller = module("operations").Api()
        data = caller.marked(caller.send(method, "/thing", Inputs()))
        # A change that was accepted is what was asked for.
        wanted = reason if method == "GET" else None
        assert data.get("incomplete_reason") == wanted


@pytest.mark.parametrize("result", ["t", "items"])
def test_entries_without_an_id_are_given_as_they_are(backend, result):
    odd = [None, True, [1], {"no": 1}, {"id": None}, {"id": ""}, {"id": {"a": 1}}]
    entries = [{"id": 7, "name": ["x"]}, 8, "9", *odd]
    backend.answer(body={"ok": True, "l": entries, "next": None})
    caller = module("operations").Api()
    found = caller.list("GET", "/", Inputs(), result=result, items="l", paging=CURSOR)
    assert found["count"] == len(entries)
    assert (found["complete"], found["incomplete_reason"]) == (
        False,
        "entries_without_id",
    )
    if result == "t":
        assert found["t"] == entries
        assert found["items"] == [{"id": i, "name": i} for i in ("7", "8", "9")]
    else:
        assert found["items"][3:] == odd


@pytest.mark.parametrize(
    "body",
    [
        b'{"ok": true, "l": [{"id": 1}], "next": null, "l": []}',
        b'{"ok": true, "l": [{"id": 1, "id": 2}], "next": null}',
    ],
)
def test_a_reply_that_names_a_member_twice_is_a_failure(backend, body):
    backend.answer(body=body)
    with pytest.raises(errors.BackendUnavailable) as caught:
        ask(CURSOR)
    assert "duplicate member" in caught.value.message
