"""Check of the object store: a copy of it, as it is now, is audited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.linux.private_folder import TemporaryFolder
from actors.part import Finding, Level

NAME = "objects"
SHOWN = 3
"""Largest number of faults listed in a finding."""


def findings(data_root: Path) -> Iterator[Finding]:
    """Findings on the soundness of the store, which is not changed.

    Args:
        data_root: Folder of the data.
    """
    from actors.memory.objects.audit import audit
    from actors.memory.objects.copying import FILE, FOLDER, UncopyableError, copy

    store = data_root / FOLDER / FILE
    if not store.exists():
        yield Finding(NAME, Level.OK, "nothing is kept yet: the first command of a conversation begins it")
        return
    try:
        with TemporaryFolder("agent-objects-") as folder:
            copy(store, Path(folder) / FILE)
            faults = audit(Path(folder) / FILE)
    except UncopyableError as error:
        yield Finding(
            NAME, Level.WARN, f"{store} is not usable: {error}; it is moved aside and begun anew when it is used"
        )
        return
    except OSError as error:
        yield Finding(NAME, Level.WARN, f"{store} cannot be looked at: {error.strerror}")
        return
    if faults:
        yield Finding(NAME, Level.WARN, f"{store}: {len(faults)} faults: {'; '.join(faults[:SHOWN])}")
    else:
        yield Finding(NAME, Level.OK, f"sound, {store.stat().st_size // 1024} KiB")
