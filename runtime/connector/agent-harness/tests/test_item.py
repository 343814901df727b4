"""The item commands, with replies of the test. This file is yours."""


def test_an_item_is_shown_as_the_api_has_it(run, backend):
    backend.answer(body={"id": "7", "title": "Seven"})
    outcome = run("--json", "item", "get", "--item-id", "7")
    assert outcome.data == {"item": {"id": "7", "title": "Seven"}}
    assert [request.path for request in backend.requests] == ["/v1/items/7"]


def test_an_item_that_does_not_exist_is_not_found(run, backend):
    backend.answer(404, {"message": "no such item"})
    outcome = run("--json", "item", "get", "--item-id", "8")
    assert (outcome.code, outcome.error["code"]) == (6, "NOT_FOUND")
    assert outcome.error["details"]["upstream_message"] == "no such item"
