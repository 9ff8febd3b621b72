"""Import from Claude Code: what it remembers of a project is staged here; its own folder is only read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from actors.curated.folder import INDEX, MemoryFolder
from domain.curated.page import Page, PageKind, Scope

MEMORY = "memory"
_OTHER = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Found:
    """Claude Code's memory of a project."""

    facts: tuple[Page, ...]
    topics: tuple[tuple[str, bytes], ...]
    """Topic files that the facts point to, with their content."""
    skipped: tuple[str, ...]


def claude_memory(projects: Path, repository: Path) -> Path:
    """The folder in which Claude Code keeps a repository's memory: it is named by the path, other signs as `-`."""
    return projects / _OTHER.sub("-", str(repository)) / MEMORY


def found_in(path: Path) -> Found | str:
    """Content to import, or the reason against the import."""
    folder = MemoryFolder(Scope.PROJECT, path, "", lambda: 0)
    snapshot = folder.look()
    if snapshot.faults:
        return snapshot.faults[0].detail
    if snapshot.index is None:
        return f"{path / INDEX}: there is no such file"
    topics: list[tuple[str, bytes]] = []
    skipped = list(_trouble(folder, snapshot.document.facts, topics))
    return Found(snapshot.document.facts, tuple(topics), tuple(skipped))


def _trouble(folder: MemoryFolder, facts: tuple[Page, ...], topics: list[tuple[str, bytes]]) -> Iterator[str]:
    """Fill `topics`; what cannot be read."""
    for name in dict.fromkeys(page.target for page in facts if page.kind is PageKind.POINTER):
        try:
            data = folder.read(name)
        except (ValueError, OSError) as error:
            yield f"{name}: {error}"
            continue
        if data is None:
            yield f"{name}: is not there"
        else:
            topics.append((name, data))
