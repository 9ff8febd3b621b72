"""Recent turns: enough of each, without its words, to recognise a client's repeated question."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from actors.facts.store.naming import turn_entries
from domain.facts.folders import folder_of, path_of
from messages.base import make_ready
from messages.facts import EntryRole

MOST_TURNS = 1_000
"""Number of newest turns to keep; a client retries soon."""
MOST_AGE = timedelta(hours=1)
"""From the last half of a turn; the same words later are another turn."""


class RecentTurn(msgspec.Struct, frozen=True, kw_only=True, tag="recent", omit_defaults=True):
    """Turn that a client may ask for again: after a kill, a broken answer, or for another answer."""

    turn: str
    conversation: str
    words: str
    """Digest of the user's words."""
    asked_at: datetime
    """Time of the words, aware UTC."""
    at: datetime
    """Time of the last half."""
    answer: str = ""
    """Digest of the newest answer; empty for none."""
    answer_path: str = ""
    """Path of the newest answer's file below the root."""

    @property
    def words_path(self) -> str:
        """Path of the file of the user's words."""
        return path_of(folder_of(self.conversation), EntryRole.USER, self.asked_at, turn_entries(self.turn)[0])


class RecentTurns:
    """Recent turns by conversation and words, the oldest first."""

    def __init__(self) -> None:
        self._by_words: dict[tuple[str, str], RecentTurn] = {}
        self._key_of: dict[str, tuple[str, str]] = {}
        self._newest: dict[str, str] = {}
        """Conversation -> its newest turn."""
        self._earlier: set[str] = set()

    def __iter__(self) -> Iterator[RecentTurn]:
        return iter(self._by_words.values())

    def begin_life(self) -> None:
        """Note that all turns so far are from an earlier life, whose clients may have missed their answers."""
        self._earlier = set(self._key_of)

    def put(self, recent: RecentTurn) -> None:
        """Take a turn as the newest of its conversation, in place of an earlier turn with the same words."""
        key = recent.conversation, recent.words
        if (known := self._by_words.pop(key, None)) is not None:
            del self._key_of[known.turn]
        self._by_words[key], self._key_of[recent.turn] = recent, key
        self._newest[recent.conversation] = recent.turn
        if len(self._by_words) > MOST_TURNS:
            self.drop(next(iter(self._by_words.values())).turn)

    def answer(self, turn: str, answer: str, path: str, at: datetime) -> None:
        """Note a turn's newest answer; a later life may replace the answer once."""
        if (known := self.get(turn)) is not None:
            self._earlier.discard(turn)
            self.put(msgspec.structs.replace(known, answer=digest_words(answer), answer_path=path, at=at))

    def get(self, turn: str) -> RecentTurn | None:
        """Turn of the given id."""
        key = self._key_of.get(turn)
        return self._by_words[key] if key is not None else None

    def drop(self, turn: str) -> None:
        """Forget a turn."""
        if (key := self._key_of.pop(turn, None)) is not None:
            del self._by_words[key]
            self._earlier.discard(turn)
            if self._newest.get(key[0]) == turn:
                del self._newest[key[0]]

    def find(self, conversation: str, words: str, answer_before: str | None, now: datetime) -> RecentTurn | None:
        """Turn requested again; None if the request begins a turn of its own.

        An answered turn counts as requested again only if the client does not show its answer, and no words followed,
        or the process has died since.

        Args:
            conversation: Conversation of the request.
            words: The user's words.
            answer_before: The client's version of the answer before these words; None if unknown.
            now: Aware UTC.
        """
        recent = self._by_words.get((conversation, digest_words(words)))
        if recent is None or now - recent.at > MOST_AGE:
            return None
        if not recent.answer:
            return recent
        is_last = self._newest.get(conversation) == recent.turn or recent.turn in self._earlier
        is_shown = answer_before is None or digest_words(answer_before) == recent.answer
        return recent if is_last and not is_shown else None


def answer_path(conversation: str, turn: str, at: datetime) -> str:
    """Path of the file of a turn's answer."""
    return path_of(folder_of(conversation), EntryRole.ASSISTANT, at, turn_entries(turn)[1])


def digest_words(text: str) -> str:
    """Digest of a text without the surrounding space, since clients do not keep the space."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:32]


make_ready(__name__)
