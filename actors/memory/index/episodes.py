"""Segmentation of a window's turns into episodes, kept right whatever is put in or taken out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from actors.memory.index.session import IndexSession
from domain.memory.hybrid import EPISODE_GAP

_GAP_MS = int(EPISODE_GAP.total_seconds() * 1000)


class EpisodeTurn(NamedTuple):
    """A turn in its window's order."""

    row: int
    at: int
    """Milliseconds since the epoch."""
    episode: int


class Episodes:
    """Names each episode by one of its rows; only whether two names are equal says something."""

    def __init__(self, session: IndexSession) -> None:
        self._session = session

    def last(self, window: int) -> EpisodeTurn | None:
        """The window's newest turn."""
        newest = self._session.rows(
            "SELECT id, timestamp, sitting FROM turns WHERE window = ? ORDER BY timestamp DESC, id DESC LIMIT 1", window
        )
        return EpisodeTurn(*newest[0]) if newest else None

    def following(self, last: EpisodeTurn | None, first_row: int, moments: Iterable[int]) -> list[int]:
        """The episodes of new turns behind all others of their window, numbered from `first_row` on."""
        episode, before = (last.episode, last.at) if last is not None else (first_row, None)
        episodes = []
        for row, at in enumerate(moments, first_row):
            if before is not None and at - before > _GAP_MS:
                episode = row
            episodes.append(episode)
            before = at
        return episodes

    def join(self, row: int, window: int, at: int) -> None:
        """Let a row that was put in anywhere belong to the episode around it; it may make one of two."""
        before, after = self._beside(row, window, at)
        (episode,) = self.following(before, row, (at,))
        self._session.rows("UPDATE turns SET sitting = ? WHERE id = ?", episode, row)
        if after is not None and after.episode != episode and after.at - at <= _GAP_MS:
            self._rename(window, after, episode)

    def leave(self, row: int) -> None:
        """Take a row that is about to go out of its episode; what is left may be two."""
        rows = self._session.rows("SELECT window, timestamp FROM turns WHERE id = ?", row)
        if not rows:
            return
        window, at = rows[0]
        before, after = self._beside(row, window, at)
        if before is None or after is None or before.episode != after.episode:
            return
        if after.at - before.at > _GAP_MS:
            self._rename(window, after, after.row)

    def _rename(self, window: int, first: EpisodeTurn, episode: int) -> None:
        self._session.rows(
            "UPDATE turns SET sitting = ? WHERE window = ? AND (timestamp, id) >= (?, ?) AND sitting = ?",
            *(episode, window, first.at, first.row, first.episode),
        )

    def _beside(self, row: int, window: int, at: int) -> tuple[EpisodeTurn | None, EpisodeTurn | None]:
        """The turns before and after in the window."""
        columns = "SELECT id, timestamp, sitting FROM turns WHERE window = ? AND"
        before = f"{columns} (timestamp, id) < (?, ?) ORDER BY timestamp DESC, id DESC LIMIT 1"
        after = f"{columns} (timestamp, id) > (?, ?) ORDER BY timestamp, id LIMIT 1"
        first, second = (self._session.rows(each, window, at, row) for each in (before, after))
        return (EpisodeTurn(*first[0]) if first else None), (EpisodeTurn(*second[0]) if second else None)
