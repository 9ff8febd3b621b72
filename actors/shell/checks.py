"""Checks of the shell: bash, and what keeps commands in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from actors.part import Finding, Level
from actors.shell.launch import probe_bash
from actors.shell.sandbox.ladder import sandbox_level

if TYPE_CHECKING:
    from actors.settings.schema import Shell


def bash_findings() -> Iterator[Finding]:
    """Whether there is a bash that works."""
    path = probe_bash()
    if path is None:
        yield Finding("bash", Level.FAIL, "no working bash found; the agent's only tool needs one")
    else:
        yield Finding("bash", Level.OK, path)


def sandbox_findings(shell: Shell) -> Iterator[Finding]:
    """What commands are kept in."""
    bash = probe_bash()
    if bash is None:
        yield Finding("sandbox", Level.WARN, "not tried: there is no bash")
        return
    level = sandbox_level(shell.sandbox, bash)
    network = " The network is open to commands (shell.network)." if shell.network == "on" else ""
    if level.refusal:
        hint = "commands are refused; install bubblewrap, or see shell.sandbox in docs/operations.md"
        yield Finding("sandbox", Level.FAIL, f"{level.text}; {hint}")
    elif level.enclosure is None:
        hint = "commands run unsandboxed, with the rights of this user"
        yield Finding("sandbox", Level.WARN, f"{level.text}; {hint}")
    elif network:
        yield Finding("sandbox", Level.WARN, f"{level.text}.{network}")
    else:
        yield Finding("sandbox", Level.OK, level.text)
