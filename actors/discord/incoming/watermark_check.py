"""Check of the watermarks: every line of their file must have a meaning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.linux.notebook import Notebook
from actors.part import Finding, Level, Repair
from domain.log.watermark import FILE_NAME, line_of, unreadable_lines, watermarks_in


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
    if not (bad := unreadable_lines(data)):
        yield Finding("watermarks", Level.OK, f"of {len(watermarks_in(data))} channels")
        return

    def content() -> list[bytes]:
        return [line_of(*each) for each in watermarks_in(path.read_bytes()).items()]

    detail = f"{path}: {bad} lines were cut short or altered; more history than needed is read of their channels"
    repair = Repair("write the file anew without them", Notebook(path, content=content).rewrite)
    yield Finding("watermarks", Level.WARN, detail, repair)
