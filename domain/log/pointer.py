"""Pointers: paths relative to the folder in which a window's commands run, as messages and logs hold them."""

from __future__ import annotations

from pathlib import PurePath


def beneath(root: PurePath, pointer: str) -> str | None:
    """The rest of `pointer` if it leads into `root`, such as `attachments`; None if it leads elsewhere.

    Read by its words: it may go up and come back, and whether anything is there is not asked.

    Args:
        root: A single name.
        pointer: Path as a user wrote it; may be hostile.
    """
    parts: list[str] = []
    for part in PurePath(pointer).parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            return None
    return "/".join(parts[1:]) if len(parts) > 1 and parts[0] == root.name else None
