"""The members of an answer: `--fields`, `--max-bytes`, slim lists, and nothing lost."""

import json

import pytest
from subject import add, api, gen, module

Selection = module("selection").Selection
operations, sizes = module("operations"), module("sizes")
Inputs = module("inputs").Inputs
RULES = {
    "style": "none",
    "limit": "",
    "max_limit": 100,
    "position": "",
    "next": "",
    "more": "",
    "in": "query",
    "empty_ends": False,
    "last": "",
    "total": "",
    "cap": 0,
}


def thing(number, size=100):
    return {
        "id": number,
        "name": f"n{number}",
        "owner": {"login": "ann", "url": "https://a.example"},
        "tags": [{"name": "a", "color": "red"}, {"name": "b", "color": None}],
        "text": "é" * size,
    }


@pytest.fixture
def listing(run, backend, monkeypatch):
    """Run the command `thing list` with these words; the API has these entries."""
    known = {"required_mode": "readonly", "action_class": "read", "summary": "s"}
    options = {"options": ("limit", "cursor"), "required": ()}
    add(monkeypatch, "COMMANDS", {"thing.list": {**known, **options}})
    number = {"type": "number", "choices": None, "default": 30, "help": ""}
    text = {"type": "string", "choices": None, "default": None, "help": ""}
    add(monkeypatch, "FIELDS", {"limit": number, "cursor": text})

    def handler(inputs, call):
        found = {"result": "things", "items": "l", "paging": RULES}
        return call.list("GET", "/", inputs, **found)

    monkeypatch.setitem(module("registry").HANDLERS, "thing.list", handler)
    monkeypatch.setitem(api.SLIM, "thing.list", ["id", "owner.login", "tags.name"])

    def read(entries, *words):
        backend.answer(body={"ok": True, "l": entries})
        return run("--json", "thing", "list", *words)

    return read


def test_a_list_shows_its_slim_fields(listing):
    data = listing([thing(1)]).data
    slim = {"id": 1, "owner": {"login": "ann"}, "tags": [{"name": "a"}, {"name": "b"}]}
    assert data["things"] == [slim]
    assert data["items"] == [{"id": "1", "name": "n1"}]
    assert "truncated" not in data


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ("name", {"name": "n1"}),
        ("things.name", {"name": "n1"}),
        ("id, owner.url", {"id": 1, "owner": {"url": "https://a.example"}}),
        ('["name"]', {"name": "n1"}),
        ("*.login", {"owner": {"login": "ann"}}),
        ("tags.color,tags", {"tags": thing(1)["tags"]}),
        ("all", thing(1)),
    ],
)
def test_fields_choose_what_an_entry_shows(listing, fields, shown):
    assert listing([thing(1)], "--fields", fields).data["things"] == [shown]


def test_people_see_the_fields_that_they_asked_for(listing, run):
    listing([thing(1), thing(2)])
    shown = run("thing", "list", "--fields", "name,owner.login").out
    lines = [line.split() for line in shown.splitlines()]
    assert ["NAME", "OWNER.LOGIN"] in lines
    assert ["n2", "ann"] in lines
    assert ["ID", "NAME"] in [
        line.split() for line in run("thing", "list").out.splitlines()
    ]


def test_a_field_that_no_entry_has_is_named_and_hides_nothing_else(listing):
    data = listing([thing(1)], "--fields", "name,titel").data
    assert data["things"] == [{"name": "n1"}]
    assert data["fields_absent"] == ["titel"]
    assert data["fields_known"] == list(thing(1))


@pytest.mark.parametrize(
    "words", [["--fields", ","], ["--fields"], ["--fields", "a" * 301], ["--fields=[1"]]
)
def test_fields_that_name_nothing_are_a_usage_error(listing, words):
    outcome = listing([thing(1)], *words)
    if words == ["--fields=[1"]:
        assert outcome.data["fields_absent"] == ["[1"]
    else:
        assert outcome.error["code"] == "INVALID_USAGE"


@pytest.mark.parametrize(
    "number", ["0", "-1", "1999", "900001", "1e5", "٣٠٠٠", "9" * 99]
)
def test_a_limit_that_cannot_be_is_a_usage_error(listing, number):
    assert listing([], "--max-bytes", number).error["code"] == "INVALID_USAGE"


@pytest.mark.parametrize(("limit", "size"), [(2_000, 0), (3_000, 90), (25_000, 300)])
def test_a_list_that_is_cut_is_read_to_its_end_and_loses_nothing(listing, limit, size):
    entries = [thing(number, size) for number in range(60)]
    words = ["--fields", "all", "--max-bytes", str(limit), "--limit", "60"]
    found, more = [], []
    for _ in range(70):
        outcome = listing(entries, *words, *more)
        data = outcome.data
        assert len(outcome.out) <= limit, len(data["things"])
        assert data["has_more"] is (data["next_cursor"] is not None)
        assert ("truncated" in data) is data["has_more"]
        found += data["things"]
        if not data["has_more"]:
            break
        assert "next_cursor" in data["truncated_text"]
        more = ["--cursor", data["next_cursor"]]
    assert found == entries


def test_an_entry_that_is_too_large_alone_says_what_was_cut(listing):
    words = ["--fields", "all", "--max-bytes", "2000"]
    outcome = listing([thing(1, 9_000), thing(2, 5)], *words)
    data = outcome.data
    assert len(outcome.out) <= 2_000
    assert data["has_more"]
    assert data["things"][0]["owner"] == thing(1)["owner"]
    assert data["truncated_parts"]["text"].endswith(" of 9000 characters")
    entries = [thing(1), thing(2, 5)]
    rest = listing(entries, *words, "--cursor", data["next_cursor"]).data
    assert rest["things"] == entries[1:]


def one(monkeypatch, data, name="config.show"):
    monkeypatch.setitem(module("registry").HANDLERS, name, lambda i, a: data)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ("title", {"issue": {"title": "t"}}),
        ("issue.title", {"issue": {"title": "t"}}),
        (
            "title,user.id,count",
            {"issue": {"title": "t", "user": {"id": 2}}, "count": 1},
        ),
        (
            "all",
            {"issue": {"title": "t", "user": {"id": 2, "x": 3}, "a.b": 4}, "count": 1},
        ),
        ("a.b", {"issue": {"a.b": 4}}),
    ],
)
def test_fields_work_for_every_command(run, monkeypatch, fields, shown):
    issue = {"title": "t", "user": {"id": 2, "x": 3}, "a.b": 4}
    one(monkeypatch, {"issue": issue, "count": 1})
    assert run("--json", "--fields", fields, "config", "show").data == shown


def test_a_mark_of_a_partial_answer_outlives_fields(run, monkeypatch):
    def handler(inputs, call):
        call.doubts.append(("cut", "the API cut this"))
        return {"issue": {"title": "t", "x": 1}}

    monkeypatch.setitem(module("registry").HANDLERS, "config.show", handler)
    data = run("--json", "config", "show", "--fields", "title").data
    assert (data["issue"], data["complete"]) == ({"title": "t"}, False)


def test_a_large_object_keeps_its_small_members(run, monkeypatch):
    files = [{"name": f"f{number}", "patch": "p" * 500} for number in range(200)]
    data = {"pr": {"number": 7, "body": "b" * 90_000, "files": files, "user": "ann"}}
    one(monkeypatch, data)
    outcome = run("--json", "--max-bytes", "8000", "config", "show")
    shown = outcome.data["pr"]
    assert 6_000 < len(outcome.out) <= 8_000
    assert (shown["number"], shown["user"]) == (7, "ann")
    assert shown["files"] == files[: len(shown["files"])] != []
    parts = outcome.data["truncated_parts"]
    assert parts["pr.files"] == f"{len(shown['files'])} of 200 entries"
    assert parts["pr.body"] == f"{len(shown['body']) - 1} of 90000 characters"
    assert "--max-bytes" in outcome.data["truncated_text"]


@pytest.mark.parametrize(
    "data",
    [
        {"text": "\x00" * 100_000},
        {"rows": list(range(50_000))},
        {f"name {number}": number for number in range(20_000)},
        {"a": {"b": {"c": [{"d": ["x" * 9_000] * 9}] * 9}}},
        {"next_cursor": "c" * 1_000, "text": "x" * 90_000},
        {"rows": [[[]] * 9_000]},
    ],
)
def test_whatever_an_answer_holds_it_stays_below_its_limit(data):
    found = sizes.bounded(data, 3_000)
    assert sizes.json_size(found) <= 3_000
    assert found["truncated"] is True
    assert found["truncated_parts"]
    assert found.get("next_cursor") == data.get("next_cursor")


def test_what_the_host_reads_is_not_cut_unasked(run, monkeypatch):
    one(monkeypatch, {"text": "x" * 90_000})
    assert len(run("--json", "config", "show").data["text"]) == 90_000


def test_the_report_of_a_bulk_command_is_whole():
    call = operations.Api()
    targets = [f"{number} {'x' * 300}" for number in range(100)]
    report = call.each(Inputs(ids=targets), "ids", lambda item: None)
    assert sizes.json_size(report) > api.RESULT_BYTES
    assert sizes.bounded(report, call.selection.limit) == report


def test_an_input_named_fields_belongs_to_its_command(run, monkeypatch):
    field = {"type": "json", "choices": None, "default": None, "help": ""}
    add(monkeypatch, "FIELDS", {"fields": field})
    spec = {**gen.COMMANDS["config.show"], "options": ("fields",)}
    add(monkeypatch, "COMMANDS", {"config.show": spec})
    got = lambda inputs, call: {"got": inputs["fields"]}
    monkeypatch.setitem(module("registry").HANDLERS, "config.show", got)
    data = run("--json", "config", "show", "--fields", '{"a": 1}').data
    assert data == {"got": {"a": 1}}
    assert run("--json", "health", "--fields", "x").data["ignored_options"] == [
        "--fields"
    ]


JIRA = {"name": "fields", "below": "f.", "all": "*all"}


@pytest.mark.parametrize(
    ("paths", "given", "sent"),
    [
        (None, {}, "state,title"),
        (["f.owner.name"], {}, "owner,title"),
        (["all"], {}, "*all"),
        (None, {"wished": ["x"]}, "x"),
        (["f"], {"wished": ["x"]}, "x"),
    ],
)
def test_an_api_sends_the_fields_that_are_wanted(backend, paths, given, sent):
    whole = {"key": "A-1", "f": {"title": "t", "x": {"y": 1}}}
    backend.answer(body={"ok": True, "l": [whole]})
    found = {"result": "things", "items": "l", "item_id": "key", "paging": RULES}
    call = operations.Api(selection=Selection(paths, ["key", "f.state.name"]))
    words = {"item_name": "f.title", "select": JIRA, "query": {"fields": "wished"}}
    answer = call.list("GET", "/", Inputs(given), **words, **found)
    assert dict(backend.requests[0].query) == {"fields": sent}
    shows_all = paths == ["all"] or (given and paths is None)
    assert (answer["things"] == [whole]) is bool(shows_all)


def test_the_fields_go_to_an_api_that_chooses_them_itself(backend):
    backend.answer(body={"ok": True, "l": [{"gid": "1", "name": "n"}]})
    found = {"result": "things", "items": "l", "item_id": "gid", "paging": RULES}
    call = operations.Api(selection=Selection(["notes", "name"]))
    answer = call.list("GET", "/", Inputs(), select={"name": "opt_fields"}, **found)
    assert dict(backend.requests[0].query) == {"opt_fields": "notes,name,gid"}
    assert answer["things"] == [{"name": "n"}]


def test_an_entry_without_an_address_gets_the_one_that_the_api_has(backend):
    backend.answer(body={"ok": True, "l": [{"id": "a/1"}]})
    found = {"result": "things", "items": "l", "paging": RULES}
    answer = operations.Api().list(
        "GET", "/", Inputs(), item_url="https://x/{id}", **found
    )
    assert answer["items"][0]["url"] == "https://x/a%2F1"


def test_help_says_what_a_list_shows(run, listing):
    told = " ".join(run("thing", "list", "--help").out.split())
    assert "Each entry shows id, owner.login, tags.name." in told
    assert "--max-bytes NUMBER" in told
    assert json.dumps(api.RESULT_BYTES) in told
