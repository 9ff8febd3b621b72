"""Checks of curated memory: folders, faults, and untrusted projects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from actors.curated.config import CuratedConfig
from actors.curated.folder import MemoryFolder
from actors.curated.injection import effective
from actors.curated.places import every_place
from actors.part import Finding, Level
from domain.curated.caps import cap_index


def findings(config: CuratedConfig) -> Iterator[Finding]:
    """State of each folder; folders of untrusted projects are not examined."""
    own, *projects = every_place(config)
    yield _look("curated memory", MemoryFolder(own))
    for place in sorted(projects, key=lambda each: each.root):
        name = f"memory of {place.root.name}"
        if place.root.is_dir():
            yield _look(name, MemoryFolder(place))
        else:
            yield Finding(name, Level.WARN, f"{place.root}: there is no such repository; see curated.projects")
    if config.untrusted:
        channels = ", ".join(sorted(config.untrusted))
        yield Finding(
            "curated projects",
            Level.WARN,
            f"the projects of {channels} are not trusted, so nothing of them is read; see curated.trusted_projects",
        )


def _look(name: str, folder: MemoryFolder) -> Finding:
    if not folder.exists:
        if os.path.lexists(folder.path):
            return Finding(name, Level.WARN, f"{folder.path}: is not a folder, or its path has a link; nothing is read")
        return Finding(name, Level.OK, f"{folder.path}: comes into being with the first fact")
    snapshot = folder.look()
    config, flaws = effective([snapshot])
    problems = [fault.detail for fault in snapshot.faults] + [flaw for _, flaw in flaws]
    index = cap_index(snapshot.index or b"", config.maxInjectLines, config.maxInjectBytes)
    if index.is_cut:
        problems.append(f"only {len(index.data):,} of {index.total_bytes:,} bytes of MEMORY.md are injected")
    if not os.access(Path(folder.real_path), os.W_OK):
        problems.append("cannot be written")
    if problems:
        return Finding(name, Level.WARN, f"{folder.path}: {'; '.join(problems)}")
    return Finding(name, Level.OK, f"{folder.path}: {index.total_bytes:,} bytes in {index.total_lines:,} lines")
