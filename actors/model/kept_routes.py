"""Kept listings: litellm's entries for models, in the data root or a folder that the environment names.

Write access to the folder decides the destination of the agent's keys. So a file is ignored if users other than the
agent's user or root can write to the file or, because of renames, to the folder. No file holds a key.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular
from actors.model.route import Listing

log = logging.getLogger(__name__)

FOLDER = "REMEMBRANCER_ROUTES"
"""Variable that names a folder shared by several agents, instead of the folder in the data root."""
OWN_FOLDER = "routes"
"""In the data root."""
_SOURCES = ("litellm_child.py", "route.py")
"""Modules that ask, and define the form of the answer."""
_MOST_BYTES = 1 << 20
"""Of a file; an answer takes a few hundred."""


def read_kept(model: str, folder: Path | None) -> Listing | None:
    """Kept listing of a model; None for a model unknown to litellm.

    Args:
        model: In litellm's naming.
        folder: Folder of the listings, unless the environment names another folder; None to keep none.

    Raises:
        LookupError: no listing is kept, or the kept file is not trusted.
    """
    place = _place(model, folder)
    if place is None:
        raise LookupError(f"{FOLDER} names no folder")
    try:
        with os.fdopen(open_regular(place, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            for status in (os.fstat(file.fileno()), place.parent.stat()):
                if status.st_uid not in (0, os.geteuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    raise OSError("other users may write to it or its folder")
            data = file.read(_MOST_BYTES + 1)
            if len(data) > _MOST_BYTES:
                raise OSError(f"it is longer than {_MOST_BYTES} bytes")
            return msgspec.json.decode(data, type=Listing | None)
    except FileNotFoundError:
        raise LookupError(f"{place} is not there") from None
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        log.warning("%s is not believed: %s", place, error)
        raise LookupError(f"{place} cannot be read") from None


def keep(model: str, listing: Listing | None, folder: Path | None) -> None:
    """Keep the listing of a model, if there is a folder; a failed write costs a warning."""
    place = _place(model, folder)
    if place is None:
        return
    part = place.with_suffix(f".{os.getpid()}")
    try:
        make_private(place.parent)
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(msgspec.json.encode(listing))
        part.replace(place)
    except OSError as error:
        log.warning("%s is not kept: %s", place, error)


def _place(model: str, folder: Path | None) -> Path | None:
    chosen = os.environ.get(FOLDER) or folder
    if not chosen:
        return None
    return Path(chosen).absolute() / f"{hashlib.sha256(edition() + model.encode()).hexdigest()}.json"


@cache
def edition() -> bytes:
    """Digest of litellm's release and of the sources that read the listing."""
    sources = [Path(__file__).with_name(name).read_bytes() for name in _SOURCES]
    return hashlib.sha256(b"\0".join([version("litellm").encode(), *sources])).digest()
