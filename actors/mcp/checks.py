"""Checks of MCP servers: the secrets, programs and folders named in the settings; no server is started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator

from actors.mcp.config import ServerConfig
from actors.part import Finding, Level


def findings(servers: Iterable[ServerConfig]) -> Iterator[Finding]:
    """A finding for each server."""
    for server in servers:
        fault = server.fault or _fault_of(server)
        what = f"{server.name}: {fault or server.url or server.command[0]}"
        yield Finding("mcp", Level.WARN if fault else Level.OK, what)


def _fault_of(server: ServerConfig) -> str:
    """Reason why a server cannot start; empty without a known reason."""
    for folder in (*server.reads, *server.writes):
        if not os.path.isdir(folder):  # noqa: PTH112 - as the settings have the path
            return f"{folder} is not a folder"
    if server.command and shutil.which(server.command[0]) is None:
        return f"command {server.command[0]!r}: there is no such program"
    return ""
