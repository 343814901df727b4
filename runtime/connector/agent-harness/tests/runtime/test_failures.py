"""The answer of every command to every way in which a backend can fail."""

import socket
import threading
from base64 import b64encode

import pytest
from contract_cases import COMMANDS
from subject import BACKEND_COMMANDS, Answer, api, gen, module

LIMITED = {"X-RateLimit-Remaining": "0"}
AGAIN = {"Retry-After": "7"}
HTML = {"Content-Type": "text/html"}
FAILURES = [
    ("AUTH_ERROR", {"status": 401, "body": {"message": "Bad credentials"}}),
    ("AUTH_ERROR", {"status": 403, "body": {"message": "Forbidden"}}),
    ("AUTH_ERROR", {"status": 302, "headers": {"Location": "https://x.y/"}}),
    ("BACKEND_UNAVAILABLE", {"status": 403, "headers": LIMITED}),
    ("BACKEND_UNAVAILABLE", {"status": 403, "headers": AGAIN}),
    ("NOT_FOUND", {"status": 404, "body": {"message": "Not Found"}}),
    ("NOT_FOUND", {"status": 410, "body": b"gone"}),
    ("INVALID_USAGE", {"status": 400, "body": {"error": {"message": "Bad field"}}}),
    ("INVALID_USAGE", {"status": 409, "body": {"detail": "Conflict"}}),
    ("INVALID_USAGE", {"status": 422, "body": {"errors": [{"message": "No"}]}}),
    ("BACKEND_UNAVAILABLE", {"status": 408}),
    ("BACKEND_UNAVAILABLE", {"status": 429, "headers": AGAIN}),
    ("BACKEND_UNAVAILABLE", {"status": 500, "body": b"<html>oh</html>"}),
    ("BACKEND_UNAVAILABLE", {"status": 503}),
    ("BACKEND_UNAVAILABLE", {"body": b"<html>hello</html>", "headers": HTML}),
    ("BACKEND_UNAVAILABLE", {"body": b'{"cut": '}),
    ("BACKEND_UNAVAILABLE", {"body": b"[NaN]"}),
    ("BACKEND_UNAVAILABLE", {"body": b"[1e999]"}),
    ("BACKEND_UNAVAILABLE", {"body": b"\xff\xfe\xfd"}),
    ("BACKEND_UNAVAILABLE", {"body": b"[" * 200_000}),
    ("BACKEND_UNAVAILABLE", {"body": b"[" * 500 + b"]" * 500}),
    ("AUTH_ERROR", {"status": 307, "headers": {"Location": "/loop"}}),
]


# One of each code is enough for a command, once some have been through them all.
CORE = [FAILURES[at] for at in (0, 3, 5, 9, 12, 15)]
THOROUGH = BACKEND_COMMANDS[:5]


def call(run, name):
    case = COMMANDS[name]
    return run("--json", "--mode", case["mode"], *case["argv"], *case["sample"])


def skip_without_request(backend, outcome):
    """A command of your own may do without the backend, but not crash."""
    if not backend.requests:
        failed = not outcome.envelope["ok"]
        assert not (failed and outcome.error["code"] == "INTERNAL_ERROR"), outcome.out
        pytest.skip("this command does not call the backend")


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_every_failure_has_its_code(run, backend, name):
    for code, answer in FAILURES if name in THOROUGH else CORE:
        backend.answer(**answer)
        outcome = call(run, name)
        skip_without_request(backend, outcome)
        if backend.requests[0].method == "HEAD" and answer.get("status", 200) == 200:
            continue  # nobody reads the body
        assert outcome.error["code"] == code, (answer, outcome.out)
        assert outcome.envelope["command"] == name
        assert outcome.error["details"]["status"] == answer.get("status", 200)
        assert "Traceback" not in outcome.err


@pytest.mark.parametrize("body", [b"-5\r\n", b"zz\r\n", b"9" * 40 + b"\r\n"])
def test_a_body_in_broken_chunks_is_a_failing_backend(run, backend, body):
    for name in THOROUGH:
        backend.answer(body=body, headers={"Transfer-Encoding": "chunked"})
        outcome = call(run, name)
        if backend.requests and backend.requests[-1].method != "HEAD":
            assert outcome.error["code"] == "BACKEND_UNAVAILABLE", outcome.out
            assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_without_a_backend_or_keys_a_command_says_so(
    run, backend, point_at, nobody, monkeypatch, name
):
    skip_without_request(backend, call(run, name))
    backend.answer()
    point_at(nobody)
    outcome = call(run, name)
    assert outcome.error["code"] == "BACKEND_UNAVAILABLE"
    assert outcome.error["details"]["reason"] == "refused"
    point_at(backend.url)
    for key in gen.SERVICE_KEYS:
        with monkeypatch.context() as changed:
            changed.delenv(key)
            outcome = call(run, name)
        assert outcome.error["code"] == "AUTH_ERROR"
        assert outcome.error["details"]["missing_keys"] == [key]
    assert backend.requests == []


@pytest.mark.parametrize("name", THOROUGH)
def test_a_proxy_that_is_none_is_named(run, point_at, monkeypatch, name):
    point_at("https://backend.invalid")
    for proxy in ("http://[bad", "http://h:99999", "http://h:abc", "http://", "://"):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        error = call(run, name).error
        assert error["code"] == "AUTH_ERROR"
        assert error["details"]["reason"] == "proxy"
        assert proxy not in error["message"]


@pytest.mark.parametrize(
    ("url", "proxy", "address"),
    [
        ("http://[::1]", "", ("::1", 80)),
        ("http://[::1]:8080", "", ("::1", 8080)),
        ("http://127.0.0.1", "", ("127.0.0.1", 80)),
        ("http://127.0.0.1", "http://[bad", ("127.0.0.1", 80)),
        ("https://[::1]", "http://[bad", ("::1", 443)),
        ("https://backend.invalid", "http://[::2]", ("::2", 80)),
        ("https://backend.invalid", "proxy.invalid:3128", ("proxy.invalid", 3128)),
        ("https://backend.invalid", "http://a:b@[::2]:81", ("::2", 81)),
    ],
)
def test_a_connection_goes_where_it_should(
    point_at, unavailable, monkeypatch, url, proxy, address
):
    asked = []

    def connect(where, *args, **kwargs):
        asked.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", connect)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    point_at(url)
    with unavailable as caught:
        module("client").Client(5.0).request("GET", "/")
    is_proxied = url == "https://backend.invalid"
    reason = "proxy_unreachable" if is_proxied else "refused"
    assert caught.value.details["reason"] == reason
    assert asked == [address]


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_is_not_json_is_never_sent(backend, client, number):
    with pytest.raises(ValueError):
        client().request("POST", "/", body={"a": [number]})
    assert backend.requests == []


@pytest.fixture
def client(backend):
    """A client of the connector, to look at one exchange."""
    return lambda seconds=5.0: module("client").Client(seconds)


@pytest.fixture
def unavailable():
    return pytest.raises(module("errors").BackendUnavailable)


@pytest.mark.parametrize(
    ("scheme", "header", "expected"),
    [
        ("bearer", "Authorization", "Bearer s3cret"),
        ("header", "X-Key", "s3cret"),
        ("basic", "Authorization", "Basic " + b64encode(b"me:s3cret").decode()),
    ],
)
def test_the_secret_travels_in_one_header_and_nowhere_else(
    backend, client, monkeypatch, scheme, header, expected
):
    monkeypatch.setattr(api, "SCHEME", scheme)
    monkeypatch.setattr(api, "HEADER", header)
    monkeypatch.setattr(api, "USER_KEY", "A_USER")
    monkeypatch.setenv("A_USER", "me")
    monkeypatch.setenv(api.SECRET_KEY, "s3cret")
    client().request("POST", "/", {"a": "b"}, {"c": "d"})
    (request,) = backend.requests
    assert request.all(header) == [expected]
    others = [pair for pair in request.header_list if pair[0] != header]
    said = [request.path, request.query, request.body, others]
    assert "s3cret" not in repr(said)


@pytest.mark.parametrize("answer", [{"hang": True}, {"body": b" " * 999, "pace": 0.05}])
def test_time_is_up_when_it_is_up(backend, client, unavailable, answer):
    backend.answer(**answer)
    with unavailable as caught:
        client(0.4).request("POST", "/", body={})
    # A client that waited would see the connection close, or the whole body.
    assert caught.value.details["reason"] == "timeout"
    assert "outcome" in caught.value.details


def test_a_reply_that_is_too_large_is_not_read(backend, client, monkeypatch):
    monkeypatch.setattr(api, "REPLY_BYTES", 1000)
    backend.answer(body=b"[" + b"1," * 4000 + b"1]")
    with pytest.raises(module("errors").InvalidUsage) as caught:
        client().request("GET", "/")
    assert caught.value.details["limit_bytes"] == 1000
    assert not caught.value.retryable


def test_a_body_that_is_cut_short_is_noticed(backend, client, unavailable):
    backend.answer(body=b"[1]", headers={"Content-Length": "10"})
    with unavailable:
        client(1.0).request("GET", "/")


def test_a_redirect_within_the_host_is_followed_with_the_credentials(backend, client):
    backend.answer_in_turn(Answer(301, headers={"Location": "/b?c=d"}), Answer())
    assert client().request("GET", "/a").status == 200
    first, second = backend.requests
    assert (second.path, second.query) == ("/b", [("c", "d")])
    name = api.HEADER if api.SCHEME == "header" else "Authorization"
    assert second.headers[name] == first.headers[name]


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/",
        "http://user@127.0.0.1:{port}/",
        "http://127.0.0.1:1/",
        "https://127.0.0.1:{port}/",
        "//example.com/",
        "file:///etc/passwd",
        "http://[",
    ],
)
def test_a_redirect_to_anywhere_else_is_refused(backend, client, location):
    port = backend.url.rsplit(":", 1)[1]
    backend.answer(302, headers={"Location": location.format(port=port)})
    with pytest.raises(module("errors").AuthError) as caught:
        client().request("GET", "/")
    assert caught.value.details["reason"] == "other_host"
    assert caught.value.hint
    assert len(backend.requests) == 1


def test_a_circle_of_redirects_will_not_pass_by_itself(backend, client):
    backend.answer(302, headers={"Location": "/again"})
    with pytest.raises(module("errors").AuthError) as caught:
        client().request("GET", "/again")
    assert caught.value.details["reason"] == "redirect_loop"
    assert "base URL" in caught.value.hint


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (407, "AuthError", "password of the proxy"),
        (403, "AuthError", "NO_PROXY"),
        (502, "BackendUnavailable", "again"),
        (None, "BackendUnavailable", "HTTPS_PROXY"),
    ],
)
def test_a_proxy_that_refuses_is_told_from_the_backend(
    point_at, client, monkeypatch, nobody, status, kind, hint
):
    point_at("https://backend.invalid")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def refuse():
            taken, _ = server.accept()
            taken.recv(4096)
            taken.sendall(f"HTTP/1.1 {status} No\r\n\r\n".encode())
            taken.close()

        if status:
            threading.Thread(target=refuse, daemon=True).start()
        proxy = f"http://127.0.0.1:{port}" if status else nobody
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(getattr(module("errors"), kind)) as caught:
            client().request("GET", "/")
    assert caught.value.details["reason"].startswith("proxy")
    assert caught.value.details.get("proxy_status") == status
    assert hint in caught.value.hint


def test_a_redirect_that_turns_a_write_into_a_read_is_refused(backend, client):
    backend.answer(302, headers={"Location": "/other"})
    with pytest.raises(module("errors").InvalidUsage) as caught:
        client().request("POST", "/", body={})
    assert caught.value.details["reason"] == "moved"
    assert len(backend.requests) == 1


def test_a_proxy_is_never_used_for_loopback(backend, client, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert client().request("GET", "/").status == 200


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("invalid_auth", "AUTH_ERROR"),
        ("channel_not_found", "NOT_FOUND"),
        ("ratelimited", "BACKEND_UNAVAILABLE"),
        ("invalid_name", "INVALID_USAGE"),
    ],
)
def test_error_codes_in_a_good_reply(backend, client, monkeypatch, code, expected):
    rules = [("auth", "invalid_*h"), ("hidden", "*_not_found")]
    rules += [("rate_limited", "ratelimited")]
    rules = [{"is": kind, "body": {"error": [word]}} for kind, word in rules]
    monkeypatch.setattr(api, "FAILURES", rules)
    monkeypatch.setattr(api, "ERROR_STYLE", "ok_field")
    backend.answer(body={"ok": False, "error": code})
    reply = client().request("GET", "/")
    with pytest.raises(module("errors").ConnectorError) as caught:
        module("replies").result(reply)
    assert caught.value.code == expected
    assert caught.value.details["upstream_message"] == code
