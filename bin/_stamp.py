"""Stamps in .venv: notes of what was made from which files, so that it is made once."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from _checkout import fingerprint, stamp_path, venv_python


def is_noted(root: str, name: str, files: list[str]) -> bool:
    """Whether the stamp `name` is of `files` as they are now; if they were only touched, it gets their new time."""
    try:
        lines = Path(stamp_path(root, name)).read_text().splitlines()
    except OSError:
        return False
    if lines[1:2] != [_identity(root, files)]:
        return False
    with contextlib.suppress(OSError):  # somebody else's checkout: then the contents are compared each time
        note(root, name, files, *lines[2:])
    return True


def note(root: str, name: str, files: list[str], *more: str) -> None:
    """Write the stamp `name`: it was made from `files` as they are now; `more` are lines that follow."""
    stamp = Path(stamp_path(root, name))
    draft = stamp.with_suffix(f".{os.getpid()}")
    draft.write_text("".join([fingerprint(root, files), *(f"{line}\n" for line in (_identity(root, files), *more))]))
    draft.replace(stamp)


def _identity(root: str, files: list[str]) -> str:
    """What something was made from: the files' content and, with its version in the path, the Python under .venv."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(Path(file).read_bytes()).digest() for file in files)).hexdigest()
    return f"{digest} {Path(venv_python(root)).resolve()}"
