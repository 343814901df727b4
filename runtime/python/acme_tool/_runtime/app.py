"""The objects that the commands of one run share; each is made when first needed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ..about import TOOL, VERSION
from . import config, notices
from .command import Account
from .config import Config
from .confirm import Gate
from .credentials.renewal import RenewingSource
from .credentials.source import Given, Source
from .credentials.store import Store
from .output import Printer
from .redact import Redactor
from .rest import Connection, Tokens

if TYPE_CHECKING:
    from .credentials.credential import Credential
    from .tool import Client, Tool

AGENT = f"{TOOL}/{VERSION}"


class App:
    """One run of a tool."""

    def __init__(self, tool: Tool, printer: Printer, redactor: Redactor) -> None:
        self.tool = tool
        self.printer = printer
        self.redactor = redactor
        # None until the upstream was asked.
        self.known_account: Account | None = None

    @functools.cached_property
    def config(self) -> Config:
        """The configuration in effect."""
        return config.load(self.tool)

    @functools.cached_property
    def store(self) -> Store:
        """The store of the credential."""
        return Store(
            self.config,
            self.redactor,
            expiring=self.tool.expiring,
            keys=self.tool.keys,
        )

    @functools.cached_property
    def gate(self) -> Gate:
        """Confirm tokens."""
        return Gate(self.config.home, self.config.lifetime)

    @functools.cached_property
    def client(self) -> Client:
        """The client of the upstream, with the credential in effect."""
        return self._connect(self._source())

    def client_with(self, credential: Credential) -> Client:
        """Return a client with another credential."""
        return self._connect(Given(credential.token))

    def account(self, client: Client | None = None) -> Account:
        """Return the account of the credential; the upstream is asked once in a run."""
        if self.known_account is None:
            self.known_account = (client or self.client).account()
        return self.known_account

    def notices(self) -> list[notices.Notice]:
        """Return the notice in the cache, if any; a run never looks for a new one."""
        return notices.current(self.config.home, VERSION)

    def _connect(self, tokens: Tokens) -> Client:
        setup = self.config
        return self.tool.connect(
            Connection(setup.upstream(), tokens, setup.timeout, AGENT, setup.settings)
        )

    def _source(self) -> Tokens:
        if self.tool.renew is None:
            return Source(self.store)
        renew = functools.partial(self.tool.renew, self._connect(Given("")))
        return RenewingSource(self.store, self.config.home, renew)
