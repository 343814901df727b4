"""A client for the operations of the table: it sends the credential as the API wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

from ..command import Account
from ..credentials.keys import keys_of
from ..rest import Ask, Rest, basic, bearer
from .table import Entry, api

if TYPE_CHECKING:
    from ..transport.address import Address

# Where refusals of many APIs have their message.
_MESSAGES = ("message", "detail", "error_description", "description", "title", "reason")


class DescribedClient(Rest):
    """The API of the table."""

    def account(self) -> Account:
        """Return a fingerprint of the credential, after a request that needs it."""
        auth, health = api()["auth"], api()["health"]
        if auth["form"] == "none":
            return Account("public")
        if health:
            self.reply(Ask("GET", (), target=health))
        return self.unnamed_account()

    def authorization(self, token: str) -> Mapping[str, str]:
        """Return the headers that carry the credential."""
        found: dict[str, str] = {}
        for auth, key in _keys(token):
            if auth["form"] == "basic":
                found |= basic(key)
            elif auth["form"] == "header":
                found[auth["name"]] = key
            elif auth["form"] == "bearer":
                found |= bearer(key)
        return found

    def signed(self, address: Address, token: str) -> Address:
        """Return the address with a credential that belongs to the query."""
        for auth, key in _keys(token):
            if auth["form"] == "query":
                mark = "&" if "?" in address.target else "?"
                pair = f"{percent(auth['name'], safe='')}={percent(key, safe='')}"
                address = replace(address, target=f"{address.target}{mark}{pair}")
        return address

    def error_of(self, document: Any) -> tuple[Any, Any]:
        """Return code and message of a refusal, in the shapes that are common."""
        error = document.get("error", document)
        if isinstance(error, str):
            return error, document.get("error_description", error)
        errors = document.get("errors")
        if isinstance(errors, list) and errors and error is document:
            error = errors[0] if isinstance(errors[0], dict) else {"message": errors[0]}
        said = (error.get(name) for name in _MESSAGES)
        message = next((text for text in said if isinstance(text, str)), None)
        return error.get("code", error.get("type")), message

    def reply(self, ask: Ask) -> tuple[Any, str]:
        """Return the document of a reply and its header Link; None without a document."""
        with self.opened(ask) as response:
            content = self.content(response)
            link = response.header("Link")
            if not content.strip():
                return None, link
            kind = response.media_type
            if kind.startswith("text/") and ask.accept.startswith("text/"):
                return content.decode("utf-8", "replace"), link
            if not kind.endswith("json"):
                raise self.unusable(
                    f"its response is not JSON but `{kind or 'nothing'}`"
                )
            return self.parse(content), link

    def below(self, link: str) -> str:
        """Return path and query of a link of this API; refuse one to another server."""
        target = self._base.follow(link)
        if target.origin != self._base.origin:
            raise ValueError("a link to another server")
        return target.target


def _keys(token: str) -> list[tuple[Entry, str]]:
    """Return where each key of the credential travels, and the key."""
    auth = api()["auth"]
    if auth["form"] != "keys":
        return [(auth, token)]
    found = keys_of(token)
    return [(each, found[each["variable"]]) for each in auth["keys"]]
