"""A person at a terminal in which `agent setup` runs, and where the playground is."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from lab.playground.server import PlaygroundServer
from tests.actors.cli.command import inherited, open_command
from tests.patience import PATIENCE_S

AGAIN_S = 5.0
"""Between two Ctrl-C."""


def places(server: PlaygroundServer) -> list[str]:
    return ["--discord-api", server.api_base, "--discord-gateway", server.gateway_url]


class Typist:
    """A person at a terminal in which `agent setup` runs."""

    def __init__(self, folder: Path, *arguments: str, secrets: tuple[str, ...] = ()) -> None:
        ours, theirs = pty.openpty()
        environment = {**inherited(), "TERM": "xterm", "HOME": str(folder)}
        given = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True}
        self.process = open_command("agent", "setup", *arguments, cwd=folder, env=environment, **given)
        os.close(theirs)
        self._terminal = ours
        self._secrets = secrets
        self.seen = ""
        self._left = ""

    def expect(self, pattern: str) -> None:
        """Wait until what is shown behind the last match matches."""
        shown = self._left
        while (found := re.search(pattern, shown, re.DOTALL)) is None:
            ready, _, _ = select.select([self._terminal], [], [], PATIENCE_S)
            assert ready, f"{pattern!r} is not in {shown!r}"
            try:
                chunk = os.read(self._terminal, 65536).decode(errors="replace")
            except OSError:
                chunk = ""
            assert chunk, f"it ended, and {pattern!r} is not in {shown!r}"
            shown += chunk
            self.seen += chunk
        self._left = shown[found.end() :]

    def type(self, text: str) -> None:
        os.write(self._terminal, f"{text}\n".encode())

    def interrupt(self) -> None:
        """What Ctrl-C does, to a process whose terminal it is not by name; again for as long as it is not seen.

        Python does not look at a signal that comes just before it begins to read.
        """
        for _ in range(int(PATIENCE_S / AGAIN_S)):
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(AGAIN_S)
                return

    def end(self) -> int:
        with contextlib.suppress(OSError):
            while select.select([self._terminal], [], [], PATIENCE_S)[0]:
                chunk = os.read(self._terminal, 65536)
                if not chunk:
                    break
                self.seen += chunk.decode(errors="replace")
        os.close(self._terminal)
        code = self.process.wait(PATIENCE_S)
        for secret in self._secrets:
            assert secret not in self.seen
        return code


def settings(folder: Path) -> dict[str, Any]:
    """What was written."""
    return tomllib.loads((folder / "agent.toml").read_text())


def contents(folder: Path) -> dict[str, bytes]:
    """By name, what each file below a folder holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
