"""Targets of an attempt, and the attempt itself; an attacker is told where everything is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SECRET_FORM = "tok-[0-9a-f][0-9a-f]*"
"""Form of the secret: a command can look for the secret, and the command's own text does not match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Places outside of a sandbox, as known to an attacker."""

    root: Path
    """Folder outside of the sandbox, closed to reading and creation of files."""
    secret: Path
    """File below `root` with a secret of `SECRET_FORM`."""
    readable: Path
    """File that a command may read but not change."""
    writable: tuple[Path, ...]
    """Writable folders of a command."""
    outsider: int
    """Process outside of the sandbox with the secret in its environment."""
    port: int
    """Port on loopback of a service listening by TCP."""
    datagram_port: int
    """Port on loopback for datagrams."""
    service: Path
    """Socket below `root` of a listening service, like a container's daemon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One command that tries a class of escapes."""

    name: str
    command: Callable[[Target], str]
    works_bare: bool = False
    """True if the command is harmless enough for a run without a sandbox and reports a success there."""
