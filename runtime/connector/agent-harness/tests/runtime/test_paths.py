"""Paths and queries: a value never leaves the place it was put in."""

import pytest
from subject import module

urls = module("urls")
Inputs = module("inputs").Inputs
InvalidUsage = module("errors").InvalidUsage


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("/a/{x}", {"x": "feature/one"}, "/a/feature%2Fone"),
        ("/a/{x}", {"x": "?b=c#d"}, "/a/%3Fb%3Dc%23d"),
        ("/a/{x}", {"x": "%2e%2e"}, "/a/%252e%252e"),
        ("/a/{x}", {"x": "ä b"}, "/a/%C3%A4%20b"),
        ("/a/{x}", {"x": "a\r\nb"}, "/a/a%0D%0Ab"),
        ("/a/{x}/b", {"x": 7}, "/a/7/b"),
        ("/a/{x}...{y}", {"x": "v1", "y": "v2"}, "/a/v1...v2"),
        ("/a/{+x}", {"x": "src/b c.py"}, "/a/src/b%20c.py"),
    ],
)
def test_values_are_quoted(template, values, expected):
    assert urls.fill(template, Inputs(values)) == expected


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("/a/{x}/b", "."),
        ("/a/{x}/b", ".."),
        ("/a/{x}/b", None),
        ("/a/{x}.", "."),
        ("/a/{+x}", "../b"),
        ("/a/{+x}", "/b"),
        ("/a/{+x}", "b//c"),
    ],
)
def test_values_that_would_lead_elsewhere_are_refused(template, value):
    with pytest.raises(InvalidUsage):
        urls.fill(template, Inputs({} if value is None else {"x": value}))


def test_queries_are_encoded():
    values = {"a": "x&y", "b": [1, "c"], "d[]": ["e", "f"], "g": True, "h": {"i": []}}
    assert urls.query_string(values) == (
        "a=x%26y&b=1%2Cc&d[]=e&d[]=f&g=true&h=%7B%22i%22%3A%5B%5D%7D"
    )


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("127.0.0.1.example.com", False),
        ("127.0.0", False),
        ("128.0.0.1", False),
        ("localhost.example.com", False),
    ],
)
def test_loopback_is_recognised(host, expected):
    assert urls.is_loopback(host) is expected
