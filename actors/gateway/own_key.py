"""Key made by the gateway itself if it has no keys and the kernel does not tell the owner of a connection."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from actors.gateway.config import SHORTEST_KEY, is_loopback
from actors.kernel.ids import random_token
from actors.linux.disk import GATEWAY_KEY, put_secret
from actors.linux.private_folder import make_private
from actors.linux.regular_file import read_regular
from actors.linux.tcp_peer import tells_uids


class OwnKeyError(Exception):
    """The file of the key cannot be used; the text gives the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class OwnKey:
    """The key and its file."""

    key: str = field(repr=False)
    path: Path
    is_new: bool

    def sentence(self, *, shows_key: bool) -> str:
        """Line for the operator; includes the key only on a terminal, as services and containers keep other output."""
        key_text = f" {self.key}" if shows_key else ""
        return (
            f"the kernel does not tell who connects to the gateway, so clients must show the key{key_text} "
            f"(Authorization: Bearer, or api_key of OpenAI's clients), which {self.path} keeps"
        )


def own_key(
    data_root: Path, address: str, *, has_keys: bool, tells: Callable[[str, int], bool] = tells_uids
) -> OwnKey | None:
    """Key required from clients; None if keys are set, or if the kernel tells the owner of a connection.

    None for an address that is not loopback as well: keys are required there (`config.problem_of`).

    Args:
        data_root: Keeps the key, in a file readable only by its user.
        address: Host or IP address of the gateway's socket.
        has_keys: True if the settings name keys.
        tells: True if the kernel names this user as the owner of a connection to the address.

    Raises:
        OwnKeyError: the file cannot be read or made, holds no key, or is readable by other users.
    """
    if has_keys or not is_loopback(address) or tells(address, os.geteuid()):
        return None
    path = data_root / GATEWAY_KEY
    try:
        make_private(data_root)
        if os.path.lexists(path):
            return OwnKey(_read(path), path, is_new=False)
        key = random_token() + random_token()
        put_secret(data_root, GATEWAY_KEY, f"{key}\n")
    except OSError as error:
        raise OwnKeyError(f"{path}: the gateway's key cannot be kept: {error.strerror or error}") from error
    return OwnKey(key, path, is_new=True)


def _read(path: Path) -> str:
    status = path.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise OwnKeyError(f"{path}: must be readable by its owner only (mode 600); delete it to have another key made")
    key = read_regular(path).decode("ascii", "replace").strip()
    if len(key) < SHORTEST_KEY:
        raise OwnKeyError(f"{path}: at least {SHORTEST_KEY} characters are required; delete it to have a key made")
    return key
