"""Check of the watermarks: that every line of their file says something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.discord.incoming.watermark_file import rewrite
from actors.linux.disk import RealDisk
from actors.part import Finding, Level, Repair
from domain.log.watermark import FILE_NAME, unreadable_lines, watermarks_in


def watermark_findings(root: Path) -> Iterator[Finding]:
    """Number of channels in the file below the data root; no finding without a file."""
    path = root / FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        detail = f"{path} cannot be read, so history is read back: {error.strerror}"
        repair = Repair("give it to the agent's user, or take away what stands in its place")
        yield Finding("watermarks", Level.WARN, detail, repair)
        return
    watermarks = watermarks_in(data)
    bad = unreadable_lines(data)
    if not bad:
        yield Finding("watermarks", Level.OK, f"of {len(watermarks)} channels")
        return

    def write_anew() -> None:
        rewrite(path, watermarks_in(path.read_bytes()), RealDisk())

    detail = f"{path}: {bad} lines were cut short or altered; of those channels more is read back than need be"
    yield Finding("watermarks", Level.WARN, detail, Repair("write the file anew without them", write_anew))
