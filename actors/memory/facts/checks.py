"""Check of the facts' index, audited in its present state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.part import Finding, Level

NAME = "facts-index"
SHOWN = 3
"""Largest number of faults listed in a finding."""


def findings(data_root: Path) -> Iterator[Finding]:
    """Findings on the soundness of the index, which is not changed.

    Args:
        data_root: Folder of the data.
    """
    import apsw

    from actors.memory.facts.audit import audit, count_bare
    from actors.memory.facts.database import FILE, FOLDER

    index = data_root / FOLDER / FILE
    if not index.exists():
        yield Finding(NAME, Level.OK, "nothing is indexed yet: the index is made from the files when the layer starts")
        return
    try:
        faults, bare = audit(index), count_bare(index)
    except apsw.Error as error:
        yield Finding(NAME, Level.WARN, f"{index} cannot be looked at: {error}")
        return
    if faults:
        told = "; ".join(faults[:SHOWN])
        yield Finding(
            NAME, Level.WARN, f"{index} has {len(faults)} faults: {told}; without the file it is made again at a start"
        )
        return
    told = f"sound index, {index.stat().st_size // 1024} KiB"
    if bare:
        waits = "they wait for one, or are set aside, since the embedding model fails with their text alone"
        yield Finding(NAME, Level.WARN, f"{told}; {bare} entries have no vector: {waits}; the next start tries again")
    else:
        yield Finding(NAME, Level.OK, told)
