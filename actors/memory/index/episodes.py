"""Segmentation of a window's turns into episodes, kept right whatever is put in or taken out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from actors.memory.index.session import IndexSession
from domain.memory.hybrid import EPISODE_GAP

_GAP_MS = int(EPISODE_GAP.total_seconds() * 1000)
_FIRST_LOOK = 64
"""Rows of an episode that are looked at first; four times as many each time that the end is not among them."""


class EpisodeTurn(NamedTuple):
    """A turn in its window's order."""

    row: int
    at: int
    """Milliseconds since the epoch."""
    episode: int


class Episodes:
    """Names each episode by one of its rows, or by a row that is gone; names can only be compared."""

    def __init__(self, session: IndexSession) -> None:
        self._session = session

    def last(self, window: int) -> EpisodeTurn | None:
        """The window's newest turn."""
        newest = self._session.rows(
            "SELECT id, timestamp, sitting FROM turns WHERE window = ? ORDER BY timestamp DESC, id DESC LIMIT 1", window
        )
        return EpisodeTurn(*newest[0]) if newest else None

    def following(self, last: EpisodeTurn | None, first_row: int, moments: Iterable[int]) -> list[int]:
        """The episodes of new turns after all earlier turns of their window, numbered from `first_row` on."""
        episode, before = (last.episode, last.at) if last is not None else (first_row, None)
        episodes = []
        for row, at in enumerate(moments, first_row):
            if before is not None and at - before > _GAP_MS:
                episode = row
            episodes.append(episode)
            before = at
        return episodes

    def insert(self, window: int, first_row: int, moments: Sequence[int]) -> list[int]:
        """The episodes of new turns anywhere in their window, oldest first, numbered from `first_row` on.

        Two episodes between which a turn closes the gap become one: the smaller one gets the other's name.
        """
        placed: list[EpisodeTurn] = []
        for row, at in reversed(list(enumerate(moments, first_row))):
            before, after = self._beside(row, window, at)
            follower = placed[-1] if placed and (after is None or _is_before(placed[-1], after)) else after
            is_near = follower is not None and follower.at - at <= _GAP_MS
            episode = follower.episode if follower is not None and is_near else row
            if row > first_row and (before is None or before.at <= moments[row - 1 - first_row]):
                before = None  # An older new turn stands between, and finds this one as its follower.
            if before is not None and at - before.at <= _GAP_MS and before.episode != episode:
                old, new = episode, before.episode
                if after is not None and after.episode == episode:
                    old, new = self._merge(window, before, after)
                placed = [turn._replace(episode=new) if turn.episode == old else turn for turn in placed]
                episode = new
            placed.append(EpisodeTurn(row, at, episode))
        return [turn.episode for turn in reversed(placed)]

    def leave(self, row: int) -> None:
        """Take a row that is about to go out of its episode; the rest may be two episodes.

        The part with the row that names the episode keeps the name, so no row of another episode has it as number.
        """
        rows = self._session.rows("SELECT window, timestamp FROM turns WHERE id = ?", row)
        if not rows:
            return
        window, at = rows[0]
        before, after = self._beside(row, window, at)
        if before is None or after is None or before.episode != after.episode or after.at - before.at <= _GAP_MS:
            return
        named_at = self._session.one("SELECT timestamp FROM turns WHERE id = ?", after.episode)
        is_named_behind = named_at is not None and (named_at, after.episode) >= (after.at, after.row)
        part = before if is_named_behind else after
        self._rename(self._all_rows(window, part, is_forward=part is after), part.row)

    def _merge(self, window: int, before: EpisodeTurn, after: EpisodeTurn) -> tuple[int, int]:
        """Give the smaller of two neighbouring episodes the other's name; the former and the new name."""
        at_most = _FIRST_LOOK
        while True:
            for turn, other in ((before, after), (after, before)):
                rows = self._rows(window, turn, at_most, is_forward=turn is after)
                if len(rows) < at_most:
                    self._rename(rows, other.episode)
                    return turn.episode, other.episode
            at_most *= 4

    def _all_rows(self, window: int, turn: EpisodeTurn, *, is_forward: bool) -> list[int]:
        at_most = _FIRST_LOOK
        while len(rows := self._rows(window, turn, at_most, is_forward=is_forward)) == at_most:
            at_most *= 4
        return rows

    def _rows(self, window: int, turn: EpisodeTurn, at_most: int, *, is_forward: bool) -> list[int]:
        """Rows of a turn's episode from the turn on, forward or back in time; the work is by their number."""
        comparison, order = (">=", "") if is_forward else ("<=", "DESC")
        rows = self._session.rows(
            f"SELECT id, sitting FROM turns WHERE window = ? AND (timestamp, id) {comparison} (?, ?) "
            f"ORDER BY timestamp {order}, id {order} LIMIT ?",
            *(window, turn.at, turn.row, at_most),
        )
        return [row for row, _ in takewhile(lambda each: each[1] == turn.episode, rows)]

    def _rename(self, rows: list[int], episode: int) -> None:
        listed = json.dumps(rows)
        self._session.rows("UPDATE turns SET sitting = ? WHERE id IN (SELECT value FROM json_each(?))", episode, listed)

    def _beside(self, row: int, window: int, at: int) -> tuple[EpisodeTurn | None, EpisodeTurn | None]:
        """The turns before and after in the window."""
        columns = "SELECT id, timestamp, sitting FROM turns WHERE window = ? AND"
        before = f"{columns} (timestamp, id) < (?, ?) ORDER BY timestamp DESC, id DESC LIMIT 1"
        after = f"{columns} (timestamp, id) > (?, ?) ORDER BY timestamp, id LIMIT 1"
        first, second = (self._session.rows(each, window, at, row) for each in (before, after))
        return (EpisodeTurn(*first[0]) if first else None), (EpisodeTurn(*second[0]) if second else None)


def _is_before(one: EpisodeTurn, other: EpisodeTurn) -> bool:
    return (one.at, one.row) < (other.at, other.row)
