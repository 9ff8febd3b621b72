"""Configuration of the shell: the operator's decisions about commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actors.shell.launch import BASH_CANDIDATES
from actors.shell.log_visibility import SCOPES
from actors.shell.sandbox.caller_folder import READING, CallerFolder
from actors.shell.sandbox.choice import CHOICES
from domain.turn.bash_tool import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, fault_of_timeout
from messages.base import Address

COMMANDS_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellConfig:
    """Configuration of a ShellActor."""

    work_root: Path
    """Holds a working directory for each Discord window."""
    data_root: Path
    """Base folder of relative pointers (`logs/…`)."""
    cli_workdir: Path | None = None
    """Working directory of the command line's commands: the caller's directory."""
    caller: CallerFolder = READING
    """Permissions of commands in the caller's folder."""
    enabled: bool = True
    """True if commands are run at all."""
    default_timeout_s: float = DEFAULT_TIMEOUT_S
    """Timeout of commands without their own."""
    max_timeout_s: float = MAX_TIMEOUT_S
    """More is refused."""
    commands_at_once: int = COMMANDS_AT_ONCE
    """In all windows together, >= 1."""
    bash_candidates: tuple[str, ...] = BASH_CANDIDATES
    """Paths or names, tried in this order."""
    sandbox: str = "auto"
    """`bwrap` is the system's bubblewrap, `bundled` the agent's own, `auto` the first that works; or `none`."""
    network: str = "off"
    """`on` or `off`."""
    scope: str = "global"
    """Logs readable by commands: `global`, `context` or `audience`; see `LogVisibility`."""
    skill_roots: tuple[Path, ...] = ()
    """Folders of skills open to commands for reading and running."""
    door: Address | None = None
    """Address of the actor that opens control sockets; None without this actor."""
    bwrap: str = "bwrap"
    """Name or path of the system's bubblewrap."""
    asks_first: bool = False
    """True if a person is asked before each command."""
    answer_s: float = 0.0
    """Seconds that scripts wait for an answer at the control socket; 0 for the usual wait."""
    may_group: bool = True
    """True if control groups bound commands where possible; else the watching process does."""

    def __post_init__(self) -> None:
        """Refuse values that would allow no command.

        Raises:
            ValueError: a value breaks its rule; the text names both.
        """
        if fault := fault_of_timeout(self.default_timeout_s, self.max_timeout_s):
            raise ValueError(f"default timeout: {fault}")
        if self.commands_at_once < 1:
            raise ValueError(f"{self.commands_at_once} commands at once: at least 1 is required")
        _require(CHOICES, "sandbox", self.sandbox)
        _require(("off", "on"), "network", self.network)
        _require(SCOPES, "scope", self.scope)


def _require(choices: Sequence[str], name: str, value: str) -> None:
    if value not in choices:
        raise ValueError(f"{name} {value!r}: must be one of {', '.join(choices)}")
