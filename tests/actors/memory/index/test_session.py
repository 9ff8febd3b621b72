from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from actors.memory.index.index import Index
from actors.memory.index.session import IndexSession
from messages.base import Surface, Window


def test_numbers_are_kept_of_few_windows_and_files_and_stay_what_they_are(tmp_path: Path) -> None:
    def statements(window: Window) -> int:
        """Number of statements that a window's and its file's number takes."""
        asked: list[str] = []

        def note(_cursor: object, statement: str, _values: object) -> bool:
            asked.append(statement)
            return True

        index.connection.exec_trace = note
        session.file(f"logs/{window.id}.md", session.window(window))
        index.connection.exec_trace = None
        return len(asked)

    index, _ = Index.open(tmp_path / "memory" / "index.sqlite", datetime(2026, 1, 30, tzinfo=UTC))
    session = IndexSession(index.connection, most_numbers=3)
    windows = [Window(surface=Surface.DISCORD_THREAD, id=str(900 + number)) for number in range(10)]

    def numbers() -> list[tuple[int, int]]:
        return [(number := session.window(window), session.file(f"logs/{window.id}.md", number)) for window in windows]

    first = numbers()
    assert numbers() == first
    assert len(set(first)) == len(windows)
    assert [statements(window) for window in windows[-3:]] == [4, 0, 0]
    index.close()
