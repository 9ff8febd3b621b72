"""Recording of trust: the list of trusted files is changed whole or not at all, by one process at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from actors.linux.disk import RealDisk, put_whole
from actors.linux.private_folder import make_private
from actors.settings.trust import TrustError, read_trust_list, trust_path
from domain.policy.folder_trust import TrustList


def change_trust_list(environ: Mapping[str, str], change: Callable[[TrustList], TrustList]) -> None:
    """Replace the user's list by a changed list.

    Args:
        environ: Says where the list is.
        change: Returns the new list for the old list.

    Raises:
        TrustError: the list cannot be read or written, and stays unchanged.
    """
    path = trust_path(environ)
    try:
        _require_own_folder(path.parent)
        make_private(path.parent)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            before = read_trust_list(path)
            if (after := change(before)) != before:
                put_whole(RealDisk(), path, after.render().encode("ascii"))
        finally:
            os.close(folder)
    except OSError as error:
        raise TrustError(f"{path}: cannot be written: {error.strerror}") from error


def _require_own_folder(folder: Path) -> None:
    """Check that the list would be in a folder of this user's, not in a home lent to root by `sudo`."""
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    owner, user = nearest.stat().st_uid, os.geteuid()
    if owner != user and (user == 0 or nearest == folder):
        raise TrustError(
            f"{nearest}: belongs to user {owner}, and this is user {user}: run it as that user, or set HOME"
        )
