"""Path of an object: accepted names below a window's folder, and conversion of a command's names."""

from __future__ import annotations

import posixpath
import re

MOST_CHARACTERS = 300
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line ends, and bytes outside UTF-8: such a name cannot be shown on a line, or at all."""
_NO_NAMES = ("", ".", "..")


def is_plain(path: str) -> bool:
    """True if `path` is a path below a folder in the form of objects.

    The form: relative, normal, `MOST_CHARACTERS` at most, and printable on one line in UTF-8.
    """
    return 0 < len(path) <= MOST_CHARACTERS and _UNSHOWN.search(path) is None and not _has_no_name(path)


def below(folder: str, here: str, name: str) -> str:
    """Plain path below `folder` of `name` in the folder `here`; empty without such a path.

    Args:
        folder: Absolute, in normal form.
        here: Absolute, in normal form; need not lie below `folder`.
        name: Relative to `here`, or absolute.
    """
    if not 0 < len(name) <= len(folder) + 1 + MOST_CHARACTERS:
        return ""
    path = absolute(here, name)
    inner = path[len(folder) + 1 :] if folder != "/" else path[1:]
    is_below = folder == "/" or path.startswith(f"{folder}/")
    return inner if is_below and is_plain(inner) else ""


def absolute(here: str, name: str) -> str:
    """Path of `name` in the folder `here`, in normal form, without regard to links."""
    path = posixpath.normpath(f"{here}/{name}" if name[:1] != "/" else name)
    return path[1:] if path.startswith("//") else path


def _has_no_name(path: str) -> bool:
    return any(part in _NO_NAMES for part in path.split("/"))
