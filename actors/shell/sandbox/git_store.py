"""git's stores in a caller's folder: every place with a repository's settings for git, by any folder name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Set
from pathlib import Path

STORE = frozenset(("HEAD", "objects", "refs"))
"""Names by which git itself recognises a store: bare, of a submodule, or apart from its tree."""
_OWN = frozenset(("hooks", "info", "logs", "modules", "objects", "refs", "worktrees"))
_SETTING = re.compile(rb'^[ \t]*([a-z][a-z0-9-]*)[ \t]*=[ \t]*"?!?([^"\r\n;#]+)', re.IGNORECASE | re.MULTILINE)
_CONFIG_BYTES = 64 * 1024


def is_git_store(names: Set[str]) -> bool:
    """True if a folder that holds `names` is a repository's store."""
    return names >= STORE


def is_of_store(folder: str, store: Path) -> bool:
    """True if `folder` is a store or one of the store's own folders, rather than a tree put into the store."""
    inside = Path(folder).relative_to(store).parts
    return not inside or inside[0] in _OWN


def named_paths(store: str, tree: str) -> Iterator[str]:
    """Paths of a tree named in its repository's settings: a folder of hooks, and files that git runs or reads."""
    try:
        with Path(store, "config").open("rb") as file:
            settings = _SETTING.findall(file.read(_CONFIG_BYTES))
    except OSError:
        return
    for key, value in settings:
        words = os.fsdecode(value.strip())
        for base, name in ((tree, words), (tree, words.partition(" ")[0]), (store, words)):
            path = os.path.realpath(Path(base, name))
            if os.path.isfile(path) or (key.lower() == b"hookspath" and os.path.isdir(path)):  # noqa: PTH112, PTH113
                yield path
