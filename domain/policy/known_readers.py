"""Directory of windows' readers, as last stated by Discord; in memory only, and empty at every start."""

from __future__ import annotations

from collections.abc import Iterable

from domain.policy.audience import admits, view_of
from messages.discord import Readers, WindowReaders


class KnownReaders:
    """Window -> readers. Missing window: readers unknown."""

    def __init__(self) -> None:
        self._of: dict[str, Readers] = {}
        """Key of a window -> readers."""
        self._shared: dict[Readers, Readers] = {}
        """All distinct readers, each stored once: the readers of a channel take 2 kB."""
        self._of_view: dict[str, Readers] = {}

    def of(self, window_key: str) -> Readers | None:
        """Readers of a window; None if unknown."""
        return self._of.get(window_key)

    def of_view(self, view: str) -> Readers | None:
        """Readers of a channel, who see all messages in the channel's threads; None when unknown."""
        return self._of_view.get(view)

    @property
    def windows(self) -> frozenset[str]:
        """Keys of the windows with known readers."""
        return frozenset(self._of)

    def admitted_to(self, target: Readers) -> set[str]:
        """Keys of the windows whose words may be shown in any window with the readers `target`."""
        return {key for key, readers in self._of.items() if admits(readers, target)}

    @property
    def channels(self) -> tuple[Readers, ...]:
        """Readers of every channel with a window, each once; a reader of a thread sees the channel."""
        return tuple(self._of_view.values())

    def learn(self, windows: Iterable[WindowReaders], *, is_all: bool = False) -> list[str]:
        """Take in Discord's statement; returns the keys of windows with changed readers.

        Args:
            windows: Windows with their readers.
            is_all: True if the readers of all other windows are now unknown.
        """
        news = {each.window.address.key: each.readers for each in windows}
        if is_all:
            news = dict.fromkeys(self._of) | news
        changed = [key for key, readers in news.items() if self.of(key) != readers]
        are_all_new = not any(key in self._of for key in changed)
        for key in changed:
            readers = news[key]
            if readers is None:
                self._of.pop(key, None)
            else:
                self._of[key] = self._shared.setdefault(readers, readers)
        if changed and are_all_new:  # As a new thread is, and to look at all others would cost ever more.
            self._of_view |= {view_of(each): each for key in changed if (each := news[key]) is not None}
        elif changed:
            used = {id(readers) for readers in self._of.values()}
            self._shared = {readers: readers for readers in self._shared.values() if id(readers) in used}
            self._of_view = {view_of(readers): readers for readers in self._shared}
        return changed
