"""Small rules on their own: versions, the changelog, addresses, proxies, locks."""

from __future__ import annotations

from pathlib import Path

import pytest

from acme_tool._runtime import changelog, files, versions
from acme_tool._runtime.fault import Fault
from acme_tool._runtime.transport.address import (
    Address,
    Unacceptable,
)
from acme_tool._runtime.transport.limits import Deadline, Progress
from acme_tool._runtime.transport.proxies import proxy_for

ORDERED = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.10",
    "1.2.0",
    "10.0.0",
]


def test_versions_are_in_the_order_of_semver() -> None:
    mixed = [*ORDERED[5:], *ORDERED[:5]]
    assert sorted(mixed, key=versions.key) == ORDERED
    assert versions.is_newer("1.0.10", "1.0.9")
    assert not versions.is_newer("1.0.0", "1.0.0")
    assert versions.is_major("1.9.0", "2.0.0-rc.1")
    assert not versions.is_major("1.9.0", "1.10.0")


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3+x", "1.2.3\n"],
)
def test_what_is_no_full_version_is_none(text: str) -> None:
    assert not versions.is_version(text)


MARKDOWN = """\ufeff# Changelog

## [Unreleased]

### Added

- Not yet.

## [1.10.0] - 2026-02-03

### Security

### Fixed

- One line
  and its rest.
- Another.

<!-- ## [1.9.9]

### Security

- Nobody sees this. -->

### Thoughts

- No category of the format.

## v1.9.0 - 2026-01-02

### Security

- A hole.

## Older versions

- Text.
"""


def test_the_changelog_is_read_as_data() -> None:
    newest, older = changelog.parse(MARKDOWN.replace("\n", "\r\n"))
    assert newest == {
        "version": "1.10.0",
        "date": "2026-02-03",
        "changes": {"fixed": ["One line and its rest.", "Another."]},
    }
    assert older["changes"] == {"security": ["A hole."]}
    assert changelog.since([newest, older], "1.9.0") == [newest]


@pytest.mark.parametrize(
    ("before", "after", "mends"),
    [
        ("1.8.0", "1.9.0", True),
        ("1.8.0", "1.10.0", True),
        # A heading without an entry is no entry.
        ("1.9.0", "1.10.0", False),
    ],
)
def test_only_an_entry_mends_a_security_matter(
    before: str, after: str, mends: bool
) -> None:
    entries = changelog.parse(MARKDOWN)
    assert changelog.has_security(entries, before, after) is mends


@pytest.mark.parametrize(
    "text",
    [
        "http://example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "https://",
        "https://user@example.com",
        "https://example.com/#part",
        "https://example.com:99999",
        "https://exa mple.com",
        "https://example.com/\r\nX-Evil: 1",
        "https://[::1",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "//example.com",
    ],
)
def test_an_address_that_is_not_safe_is_not_opened(text: str) -> None:
    with pytest.raises(Unacceptable) as refused:
        Address.parse(text)
    assert "example.com" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com",
        "http://127.0.0.1:8080",
        "http://[::1]:1",
        "http://localhost",
    ],
)
def test_https_and_this_machine_may_be_opened(text: str) -> None:
    assert str(Address.parse_base(text)).startswith(text)


def test_segments_of_a_path_cannot_leave_it() -> None:
    base = Address.parse_base("https://example.com/api")
    joined = base.join("items", "../x?y#z", query={"q": "a&b=c"})
    assert joined.target == "/api/items/..%2Fx%3Fy%23z?q=a%26b%3Dc"
    assert joined.host == "example.com"


def test_proxies_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    remote = Address.parse("https://api.example.com/")
    assert proxy_for(remote) is None
    monkeypatch.setenv("HTTPS_PROXY", "http://us%20er:pass@proxy.test:3128")
    found = proxy_for(remote)
    assert found is not None
    assert found.name == "proxy.test:3128"
    assert found.authorization == "Basic dXMgZXI6cGFzcw=="
    # This machine is never asked through a proxy.
    assert proxy_for(Address.parse("http://127.0.0.1:1/")) is None
    for rule in ("example.com", ".example.com", "*", "other.test, api.example.com:443"):
        monkeypatch.setenv("NO_PROXY", rule)
        assert proxy_for(remote) is None
    monkeypatch.setenv("NO_PROXY", "ample.com,api.example.com:80")
    assert proxy_for(remote) is not None
    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy.test:1080")
    with pytest.raises(Fault) as refused:
        proxy_for(remote)
    assert refused.value.code == "E_CONFIG"


def test_waits_end() -> None:
    with pytest.raises(TimeoutError):
        Deadline(0).left()
    slow = Progress(0.0, 10)
    slow.received(9)
    with pytest.raises(TimeoutError):
        slow.left()
    fast = Progress(0.0, 10)
    fast.received(10)
    assert fast.left() == 0.0


def test_a_lock_is_held_once_and_freed_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "state" / "x.lock"
    with files.lock(path), pytest.raises(files.Held), files.lock(path, wait=0.05):
        raise AssertionError("two held one lock")
    with files.lock(path):
        assert path.exists()


def test_a_file_that_is_too_large_or_none_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert files.read_bounded(path, 11) == b"x" * 11
    with pytest.raises(files.Unusable):
        files.read_bounded(path, 10)
    with pytest.raises((files.Unusable, PermissionError)):
        files.read_bounded(tmp_path, 10)
