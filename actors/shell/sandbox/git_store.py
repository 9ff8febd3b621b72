"""git's stores in a caller's folder: wherever a repository keeps what git obeys, whatever that folder is called."""

from __future__ import annotations

import os
import re
from collections.abc import Set
from pathlib import Path

_STORE = frozenset(("HEAD", "objects", "refs"))
"""Names by which git itself recognises a store: bare, of a submodule, or apart from its tree."""
_OWN = frozenset(("hooks", "info", "logs", "modules", "objects", "refs", "worktrees"))
_HOOKS = re.compile(rb'^[ \t]*hookspath[ \t]*=[ \t]*"?([^"\r\n;#]+)', re.IGNORECASE | re.MULTILINE)
_CONFIG_BYTES = 64 * 1024


def is_git_store(names: Set[str]) -> bool:
    """True if a folder that holds `names` is a repository's store."""
    return names >= _STORE


def is_of_store(folder: str, store: Path) -> bool:
    """True if `folder` is a store or one of the store's own folders, rather than a tree put into the store."""
    inside = Path(folder).relative_to(store).parts
    return not inside or inside[0] in _OWN


def hooks_folder(store: str, tree: str) -> str | None:
    """Hooks folder of the repository with `store` and `tree`, if the repository's settings name a folder."""
    try:
        with Path(store, "config").open("rb") as file:
            named = _HOOKS.findall(file.read(_CONFIG_BYTES))
    except OSError:
        return None
    if not named:
        return None
    hooks = os.path.realpath(Path(tree, os.fsdecode(named[-1].strip())))
    return hooks if Path(hooks).exists() else None
