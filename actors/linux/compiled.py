"""Loading of what the build compiles beside its modules (setup.py): libraries, by ctypes, with twins in numpy."""

from __future__ import annotations

import ctypes
import logging
import struct
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

log = logging.getLogger(__name__)

_ELF = b"\x7fELF\x02\x01"
"""Beginning of a program of 64 bits, its least byte first, as all are that anything is compiled for here."""
_HEAD = struct.Struct("<40xQ10xHH2x")
"""Of its head: where the table of its sections is, the size of one, and how many there are. The table comes last."""


def library_path(module: str, name: str) -> Path:
    """Where the build puts a library: beside a module, given by its `__file__`, named like a Python extension."""
    return Path(module).with_name(f"{name}{EXTENSION_SUFFIXES[0]}")


def load(path: Path, what: str, prefix: str, interface: int) -> ctypes.CDLL | None:
    """The library at `path`; None if there is none, or none of this interface, which the log then says.

    Args:
        path: As `library_path` gives it.
        what: It does, in the log's words.
        prefix: Of its functions.
        interface: What its function `<prefix>_interface` must say: one that was built from other source is not taken.
    """
    if not path.exists():
        return None
    try:
        _check_whole(path)
        library = ctypes.CDLL(str(path))
        found = library[f"{prefix}_interface"]()
    except (OSError, AttributeError) as error:
        log.warning("the compiled %s cannot be loaded, numpy does its work: %s", what, error)
        return None
    if found != interface:
        log.warning("the compiled %s is of another version, numpy does its work: build it anew", what)
        return None
    return library


def _check_whole(path: Path) -> None:
    """Refuse a library whose end is missing: the system would take it, and kill whoever calls what is missing.

    Raises:
        OSError: the file is cut short, or cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD.size)
        size = file.seek(0, 2)
    if not head.startswith(_ELF):
        return  # of another system, which judges for itself
    if len(head) == _HEAD.size:
        place, each, count = _HEAD.unpack(head)
        if place and size >= place + each * count:
            return
    raise OSError(f"{path} is cut short at {size} bytes")
