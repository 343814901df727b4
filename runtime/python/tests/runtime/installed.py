"""The program where an update can replace it, with scripts in place of npx and others."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from acme_tool._runtime.testkit.mock import Server
from acme_tool._runtime.testkit.releases import SKILL, Releases
from acme_tool._runtime.update.archive import program_name
from acme_tool.about import TOOL, VERSION

from mock_upstream import make

from .sandbox import LAUNCH, Tool

START = "acme_tool._runtime.testkit.frozen_start"


def frozen(version: str = VERSION) -> bytes:
    """Return a program of one file that is this code in some version."""
    words = " ".join(map(shlex.quote, (sys.executable, "-m", START)))
    return f'#!/bin/sh\nexec {words} "$0" {version} "$@"\n'.encode()


class Installed(Tool):
    """A user with an installed program and a host of releases."""

    def __init__(self, home: Path, releases: Releases) -> None:
        # No server runs here: an update never asks the upstream.
        server = Server(make())
        super().__init__(home, server)
        server.server_close()
        self.releases = releases
        self.shims = home / "shims"
        self.shims.mkdir()
        self.path = home / "bin" / program_name()
        self.put(self.path, frozen())
        self.program = [str(self.path)]
        root = home / "trust-root.json"
        root.write_text(releases.sigstore.trust_root())
        self.set(UPDATE_API_URL=releases.address)
        self.env |= {"TEST_TRUST_ROOT": str(root), "TEST_PATIENCE": "30"}
        self.env["PATH"] = f"{self.shims}{os.pathsep}{os.defpath}"
        self.shim("node", "echo v22.20.0")
        self.shim("git", "exit 0")
        self.shim("npx", self.copy_skill())

    @property
    def skill(self) -> Path:
        """The place that every installation of the Skill writes."""
        return self.home / ".agents" / "skills" / TOOL

    def put(self, path: Path, content: bytes) -> None:
        """Put a program somewhere, by a rename as nothing else is safe."""
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_name(f"{path.name}.staged")
        with LAUNCH:
            staged.write_bytes(content)
            staged.chmod(0o755)
            staged.replace(path)

    def place(self, path: str) -> Path:
        """Move the program to where a manager would have put it."""
        moved = self.home / path
        moved.parent.mkdir(parents=True)
        self.path.rename(moved)
        self.path, self.program = moved, [str(moved)]
        return moved

    def shim(self, name: str, script: str) -> None:
        """Put a script in place of another program; each call leaves a line."""
        log = shlex.quote(str(self.shims / f"{name}.log"))
        text = f'#!/bin/sh\necho "$@" >> {log}\n{script}\n'
        self.put(self.shims / name, text.encode())

    def only_shims(self, *, without: str = "") -> None:
        """Let nothing but the scripts be found, and one of them not."""
        for tool in ("sh", "mkdir", "rm", "cp"):
            link = self.shims / tool
            if not link.exists():
                link.symlink_to(next(filter(Path.exists, map(Path, _both(tool)))))
        self.env["PATH"] = str(self.shims)
        if without:
            (self.shims / without).unlink()

    def calls(self, name: str) -> list[str]:
        """Return the lines that a script left."""
        log = self.shims / f"{name}.log"
        return log.read_text().splitlines() if log.exists() else []

    def copy_skill(self) -> str:
        """Return a script that does what the installer does."""
        target, parent = (
            shlex.quote(str(self.skill)),
            shlex.quote(str(self.skill.parent)),
        )
        source = shlex.quote(str(SKILL))
        return f"mkdir -p {parent} && rm -rf {target} && cp -R {source} {target}"

    def untouched(self) -> None:
        """Want the program as it was, and nothing left of an attempt."""
        assert self.path.read_bytes() == frozen()
        self.clean()

    def clean(self) -> None:
        """Want nothing beside the program and no temporary files."""
        assert [path.name for path in self.path.parent.iterdir()] == [self.path.name]
        assert list(Path(self.env["TMPDIR"]).iterdir()) == []


def _both(tool: str) -> tuple[str, str]:
    return f"/bin/{tool}", f"/usr/bin/{tool}"
