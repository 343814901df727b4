"""Health: the right word for every state of the world, exit 0, and quickly."""

import pytest
from subject import SECRETS, api, gen, module

READY = {"healthy": "ready"}
ANSWERS = [
    ("healthy", {"body": {"ok": True}}),
    ("healthy", {"status": 204, "body": b""}),
    ("needs_setup", {"status": 401, "body": {"message": "Bad credentials"}}),
    ("needs_setup", {"status": 403, "body": {"message": "Forbidden"}}),
    ("degraded", {"status": 403, "headers": {"X-RateLimit-Remaining": "0"}}),
    ("degraded", {"status": 403, "headers": {"Retry-After": "60"}}),
    ("degraded", {"status": 429}),
    ("degraded", {"status": 500}),
    ("degraded", {"status": 503, "body": b"<html>maintenance</html>"}),
    ("degraded", {"body": b"<html>sign in to the network</html>"}),
    ("degraded", {"body": b'{"cut": '}),
    ("degraded", {"hang": True}),
    ("degraded", {"body": b" " * 1000 + b"{}", "pace": 0.02}),
    ("needs_setup", {"status": 302, "headers": {"Location": "https://example.com/"}}),
    ("error", {"status": 404, "body": {"message": "Not Found"}}),
]


def check(outcome, status):
    data = outcome.data
    assert data["status"] == status
    assert status in gen.HEALTH_STATUSES
    names = [check["name"] for check in data["checks"]]
    assert names[0] == "required_env"
    assert isinstance(data["checks"][0]["details"]["missing_keys"], list)
    envelope = outcome.envelope
    extra = set(envelope) - set(gen.SUCCESS_KEYS) - set(gen.OPTIONAL_ENVELOPE_KEYS)
    assert extra == set(gen.HEALTH_ENVELOPE_KEYS)
    if extra:
        assert envelope["status"] == READY.get(status, status)
        assert envelope["checks"] == data["checks"]
        assert envelope["live_read_available"] is (status == "healthy")
        assert envelope["write_bridge_available"] is (status == "healthy")
        assert envelope["runtime_ready"] is (status in ("healthy", "degraded"))
    return data


@pytest.mark.parametrize(("status", "answer"), ANSWERS)
def test_the_answer_of_the_backend_decides(run, backend, monkeypatch, status, answer):
    # Only an answer that never comes may meet the limit, however busy the machine is.
    is_late = "hang" in answer or "pace" in answer
    monkeypatch.setattr(api, "HEALTH_SECONDS", 0.3 if is_late else 60)
    backend.answer(**answer)
    check(run("--json", "health"), status)
    if is_late:
        return
    assert backend.requests[0].method == api.HEALTH_METHOD
    assert backend.requests[0].path == api.HEALTH_PATH.partition("?")[0]


@pytest.mark.parametrize("key", gen.SERVICE_KEYS)
def test_a_missing_key_needs_setup_and_no_network(run, backend, monkeypatch, key):
    for value in (None, "", "  "):
        if value is None:
            monkeypatch.delenv(key)
        else:
            monkeypatch.setenv(key, value)
        data = check(run("--json", "health"), "needs_setup")
        assert data["checks"][0]["details"] == {"missing_keys": [key]}
    assert backend.requests == []


def test_without_any_key_all_are_named(run):
    data = check(run("health", "--json"), "needs_setup")
    assert data["checks"][0]["details"]["missing_keys"] == list(gen.SERVICE_KEYS)


def test_a_key_with_a_line_break_is_an_error_and_not_shown(run, backend, monkeypatch):
    monkeypatch.setenv(api.SECRET_KEY, SECRETS[api.SECRET_KEY] + "\n")
    outcome = run("--json", "health")
    check(outcome, "error")
    assert SECRETS[api.SECRET_KEY][:4] not in outcome.out
    assert backend.requests == []


def test_a_backend_that_refuses_is_degraded(run, point_at, nobody):
    point_at(nobody)
    check(run("--json", "health"), "degraded")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://localhost@example.com",
        "https://user:word@example.com",
        "ftp://127.0.0.1",
        "file:///etc/passwd",
        "https://exa mple.com",
        "http://127.0.0.1\\@example.com",
        "https://",
        "https://example.com:port",
        "https://example.com?a=b",
        "nonsense",
    ],
)
def test_a_base_url_that_is_not_safe_is_an_error(run, point_at, url):
    point_at(url)
    outcome = run("--json", "health")
    check(outcome, "error")
    assert url not in outcome.out


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
@pytest.mark.parametrize(
    "proxy",
    [
        "http://[bad",
        "http://hidden:99999",
        "http://hidden:abc",
        "http://hidden:0",
        "http://",
        "http://:80",
        "://",
        "hid den:80",
        "socks5://hidden:1080",
        "http://me:hidden@[bad",
    ],
)
def test_a_proxy_that_is_none_is_an_error(run, point_at, monkeypatch, proxy, name):
    monkeypatch.setenv(name, proxy)
    point_at("https://backend.invalid")
    outcome = run("--json", "health", "--verbose")
    details = check(outcome, "error")["checks"][1]["details"]
    assert (details["code"], details["reason"]) == ("AUTH_ERROR", "proxy")
    assert proxy not in outcome.out + outcome.err
    assert "hidden" not in outcome.out + outcome.err


@pytest.mark.parametrize("fault", [ValueError, TypeError, MemoryError, SystemExit])
def test_whatever_goes_wrong_health_answers(run, keys, monkeypatch, fault):
    def broken(*args):
        raise fault("boom")

    monkeypatch.setattr(module("client").Client, "request", broken)
    outcome = run("--json", "health")
    details = check(outcome, "error")["checks"][1]["details"]
    assert details["exception"] == fault.__name__
    assert "boom" not in outcome.out + outcome.err


def test_a_dripping_backend_is_given_up(run, backend):
    # An empty body is healthy, and this one is complete after minutes.
    backend.answer(body=b" " * 1000, pace=0.2)
    check(run("--json", "health"), "degraded")
    assert api.HEALTH_SECONDS < 2.5


def test_people_can_read_it(run):
    outcome = run("health")
    assert outcome.code == 0
    assert "needs_setup" in outcome.out


def test_a_connector_that_points_nowhere_needs_setup(run, keys, monkeypatch):
    monkeypatch.setattr(api, "BASE_URL", "")
    monkeypatch.delenv(api.URL_OVERRIDE or api.BASE_URL_KEY, raising=False)
    monkeypatch.setattr(api, "BASE_URL_KEY", "")
    data = check(run("--json", "health"), "needs_setup")
    assert data["checks"][1]["details"]["reason"] == "base_url_missing"
    assert "BASE_URL" in data["next_steps"][0]


def test_an_address_that_the_api_does_not_have_is_followed_by_another(
    run, backend, monkeypatch
):
    from subject import Answer

    monkeypatch.setattr(api, "HEALTH_ALSO", ["/other"])
    backend.answer_in_turn(Answer(404), Answer(body={"ok": True}))
    check(run("--json", "health"), "healthy")
    assert [request.path for request in backend.requests][1] == "/other"


def test_a_refusal_says_what_to_do(run, backend):
    backend.answer(403, body={"message": "Forbidden"})
    data = check(run("--json", "health"), "needs_setup")
    assert "permission" in data["next_steps"][0]
