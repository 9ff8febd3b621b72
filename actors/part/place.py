"""Places: of what comes with the agent, and of what settings name."""

from __future__ import annotations

from pathlib import Path

SHIPPED_SKILLS = Path(__file__).resolve().parents[2] / "skills"
"""The skills that come with the agent, beside its packages in a checkout and in an installation."""


def folder_of(name: str, data_root: Path) -> Path | None:
    """The folder that a model's name is, relative to the data root; None where it is a server's name of a model.

    Looks at the disk.
    """
    try:
        folder = (data_root / Path(name).expanduser()).absolute()
        return folder if "/" in name and folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long; nobody's home; a NUL
        return None
