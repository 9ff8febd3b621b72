"""Pointers: paths relative to the folder of a window's commands, in messages and logs."""

from __future__ import annotations

from pathlib import PurePath


def beneath(root: PurePath, pointer: str) -> str | None:
    """Rest of `pointer` if the path leads into `root`, such as `attachments`; None for any other path.

    Only the text is read: the path may go up and come back, and need not exist.

    Args:
        root: A single name.
        pointer: Path as a user wrote the path; may be hostile.
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
