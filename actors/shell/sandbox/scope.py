"""Landlock's scope: a further fence around commands that reach the network, from Linux 6.12 on.

Abstract Unix sockets belong to a network namespace and not to the file system, so a command that shares the machine's
network could speak to a container runtime's, with the agent's identity. The scope permits connections only to sockets
made inside the scope. The scope does not restrict files, so bubblewrap works under it.
"""

from __future__ import annotations

import os

from actors.linux import syscall

LEAST_ABI = 6
"""First version with scopes."""
_ABSTRACT_SOCKETS, _SIGNALS = 0b01, 0b10


def has_scopes() -> bool:
    """True if this kernel has scopes."""
    return syscall.landlock_abi() >= LEAST_ABI


def stay_inside() -> None:
    """Restrict this process and all its future children to abstract sockets and processes of their own.

    Raises:
        OSError: the kernel refused.
    """
    syscall.prctl(syscall.PR_SET_NO_NEW_PRIVS, 1)
    rules = syscall.landlock_ruleset(0, 0, _ABSTRACT_SOCKETS | _SIGNALS)
    try:
        syscall.landlock_restrict_self(rules)
    finally:
        os.close(rules)
