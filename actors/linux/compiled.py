"""Loading of what the build compiles beside its modules (setup.py): libraries, by ctypes, with twins in numpy."""

from __future__ import annotations

import ctypes
import logging
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

log = logging.getLogger(__name__)


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
        library = ctypes.CDLL(str(path))
        found = library[f"{prefix}_interface"]()
    except (OSError, AttributeError) as error:
        log.warning("the compiled %s cannot be loaded, numpy does its work: %s", what, error)
        return None
    if found != interface:
        log.warning("the compiled %s is of another version, numpy does its work: build it anew", what)
        return None
    return library
