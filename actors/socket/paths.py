"""Paths of sockets: their names, and how a path that is too long for the kernel is reached all the same."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actors.linux.disk import put_secret

LONGEST_PATH_BYTES = 107
"""Longest path in bytes of a Unix socket on Linux (sun_path without its NUL)."""
OPERATOR_SOCKET = "agent.sock"
"""In the data root."""
_UNBORN = ".new"


def fits(path: Path) -> bool:
    """True if a socket's path is short enough for any program to connect."""
    return len(os.fsencode(path)) <= LONGEST_PATH_BYTES


@contextmanager
def reachable(path: Path) -> Iterator[str]:
    """Path of `path`'s socket in a form for the kernel, good inside the `with`.

    A path too long for the kernel goes through the folder's descriptor, with the help of Linux's /proc.

    Raises:
        OSError: the folder cannot be opened.
    """
    if fits(path):
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def listener(path: Path) -> socket.socket:
    """Bind a socket at `path`, for this user only, in the place of any earlier file; not listening yet.

    The socket is bound under another name and then renamed, since `/proc/net/unix` shows the bound name to every user:
    so `path` stays secret.

    Raises:
        OSError: the socket cannot be made.
    """
    unborn = path.with_name(_UNBORN)
    unborn.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        with reachable(unborn) as address:
            bound.bind(address)
        unborn.chmod(0o600)
        unborn.rename(path)
    except OSError:
        bound.close()
        raise
    return bound


def write_key(path: Path, key: str) -> None:
    """Put `key` into a file that only this user can read, whole at once."""
    put_secret(path.parent, path.name, key, is_durable=False)
