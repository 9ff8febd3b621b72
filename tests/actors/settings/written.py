"""Settings files as an operator might write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings


def written(folder: Path, text: str | bytes) -> Settings:
    """The settings of a folder whose `agent.toml` has this text."""
    (folder / "agent.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(Path("agent.toml"), environ={}, folder=folder)


def complaints(folder: Path, text: str | bytes) -> list[str]:
    """What is said, line by line, about an `agent.toml` that has this text and is refused."""
    with pytest.raises(SettingsError) as refused:
        written(folder, text)
    return str(refused.value).split("\n")
