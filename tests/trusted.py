"""Trust in folders of tests, as their user would have given it by `agent trust`."""

from __future__ import annotations

import os
from pathlib import Path

from actors.cli.trust.recording import change_trust_list
from actors.settings.trust import digest_of, place_of

_FILES = ("agent.toml", "secrets.env")


def trust(folder: Path) -> None:
    """Have the settings and the secrets of a folder count as they are now; its data root too."""
    paths = [folder / name for name in _FILES]
    digests = {place_of(path): digest_of(path.read_bytes() if path.is_file() else None) for path in paths}
    change_trust_list(os.environ, lambda known: known.with_files(digests))


def write_settings(folder: Path, text: str) -> None:
    """Write the `agent.toml` of a folder, and trust it."""
    (folder / "agent.toml").write_text(text)
    trust(folder)
