"""Loading of libraries that the build compiles beside modules (setup.py), by ctypes, with twins in numpy."""

from __future__ import annotations

import ctypes
import logging
import struct
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

log = logging.getLogger(__name__)

_ELF = b"\x7fELF\x02\x01"
"""Beginning of a little-endian 64-bit binary, the only kind made by the build."""
_HEAD = struct.Struct("<40xQ10xHH2x")
"""In the binary's head: offset of the section table, size of an entry, number of entries. The table comes last."""


def library_path(module: str, name: str) -> Path:
    """Path of a built library: beside a module (its `__file__`), named like a Python extension."""
    return Path(module).with_name(f"{name}{EXTENSION_SUFFIXES[0]}")


def load(path: Path, what: str, prefix: str, interface: int) -> ctypes.CDLL | None:
    """Library at `path`; None for a missing file, and, with a logged warning, for a library of another interface.

    Args:
        path: Path from `library_path`.
        what: Purpose of the library, in the log's words.
        prefix: Beginning of its functions' names.
        interface: Required result of its function `<prefix>_interface`; rules out a library built from other source.
    """
    if not path.exists():
        return None
    try:
        _check_whole(path)
        library = ctypes.CDLL(str(path))
        built_for = library[f"{prefix}_interface"]()
    except (OSError, AttributeError) as error:
        log.warning("the compiled %s cannot be loaded, numpy does its work: %s", what, error)
        return None
    if built_for != interface:
        log.warning("the compiled %s is of another version, so numpy is used: rebuild it", what)
        return None
    return library


def _check_whole(path: Path) -> None:
    """Refuse a truncated library: the system would load it, and kill the process at a call of a missing function.

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
