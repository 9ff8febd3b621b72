"""Checks of the shell: bash, and the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from actors.part import Finding, Level
from actors.shell.launch import probe_bash
from actors.shell.sandbox.choice import sandbox_level

if TYPE_CHECKING:
    from actors.settings.schema import Shell


def findings(shell: Shell) -> Iterator[Finding]:
    """Findings on bash and on the sandbox of commands; neither is probed if commands are turned off."""
    if not shell.enabled:
        yield Finding("bash", Level.OK, "not needed: commands are turned off (shell.enabled)")
        return
    bash = probe_bash()
    if bash is None:
        yield Finding("bash", Level.FAIL, "no working bash found; the agent's only tool needs one")
        yield Finding("sandbox", Level.WARN, "not tried: there is no bash")
    else:
        yield Finding("bash", Level.OK, bash)
        yield _sandbox(shell, bash)


def _sandbox(shell: Shell, bash: str) -> Finding:
    level = sandbox_level(shell.sandbox, bash)
    network = " The network is open to commands (shell.network)." if shell.network == "on" else ""
    if level.refusal:
        return Finding("sandbox", Level.FAIL, f"{level.text} Commands are refused until then (docs/sandbox.md).")
    if level.enclosure is None:
        hint = "commands run unsandboxed, with the rights of this user"
        return Finding("sandbox", Level.WARN, f"{level.text}; {hint}")
    if network:
        return Finding("sandbox", Level.WARN, f"{level.text}.{network}")
    return Finding("sandbox", Level.OK, level.text)
