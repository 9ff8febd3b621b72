from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.memory.index import session as sessions
from actors.memory.index.index import Index
from actors.memory.index.session import IndexSession
from messages.base import Surface, Window


def test_numbers_are_kept_of_few_windows_and_files_and_stay_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_NUMBERS", 3)
    index, _ = Index.open(tmp_path / "memory" / "index.sqlite", datetime(2026, 1, 30, tzinfo=UTC))
    session = IndexSession(index.connection)
    windows = [Window(surface=Surface.DISCORD_THREAD, id=str(900 + number)) for number in range(10)]

    def numbers() -> list[tuple[int, int]]:
        return [(number := session.window(window), session.file(f"logs/{window.id}.md", number)) for window in windows]

    first = numbers()
    assert numbers() == first
    assert len(set(first)) == len(windows)
    assert len(session._windows) <= 3
    assert len(session._files) <= 3
    index.close()
