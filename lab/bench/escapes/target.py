"""Targets of an attempt, and the attempt itself; an attacker is told where everything is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SECRET_FORM = "tok-[0-9a-f][0-9a-f]*"
"""Form of the secret: a command can look for the secret, and the command's own text does not match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Places outside of a sandbox, as an attacker knows them."""

    root: Path
    """Folder outside of the sandbox, in which nothing may be read or made."""
    secret: Path
    """File below `root` that holds a secret of `SECRET_FORM`."""
    readable: Path
    """File that a command may read and may not change."""
    writable: tuple[Path, ...]
    """Folders in which a command may write."""
    outsider: int
    """Process outside of the sandbox with the secret in its environment."""
    port: int
    """Port on loopback at which a service listens, by TCP."""
    datagram_port: int
    """Port on loopback that receives datagrams."""
    service: Path
    """Socket below `root` at which a service listens, as a container's daemon does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One command that tries a class of escapes."""

    name: str
    command: Callable[[Target], str]
    works_bare: bool = False
    """True if the command is harmless enough for a run without a sandbox and reports a success there."""
