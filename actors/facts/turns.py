"""Turns as they come: their texts go to the journal and to files before they are reported as kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from actors.facts.store.journal import Journal, Owed
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import turn_entries
from actors.kernel import Host
from domain.facts.entry import Entry
from messages.facts import EntryRole, StoreTurn
from messages.turn import TurnEnded

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class _Unanswered:
    """A turn that was broken off before there was an answer."""

    turn: str
    text: str


class Turns:
    """Keeper of what is said in turns.

    A question repeated after a turn without an answer counts once.
    """

    def __init__(self, host: Host, keeper: Keeper, journal: Journal, over: Callable[[], None]) -> None:
        """Nothing is kept yet.

        Args:
            host: The actor.
            keeper: Keeps texts.
            journal: Notes what is owed.
            over: Told that a turn is over, and something is owed for it.
        """
        self._host = host
        self._keeper = keeper
        self._journal = journal
        self._over = over
        self._unanswered: dict[str, _Unanswered] = {}
        self._alias: dict[str, str] = {}
        """Turn -> earlier turn with the same question."""

    def take(self, message: StoreTurn) -> None:
        """Keep what a message brings.

        Raises:
            OSError: it may not be kept.
        """
        turn = self._alias.get(message.turn_id, message.turn_id)
        owed, now = self._journal.owed.get(turn), self._host.now()
        if owed is None and self._is_known(turn) and turn == message.turn_id:
            return
        if owed is None and (earlier := self._repeated(message)) is not None:
            # A third one that asks the same meanwhile is a turn of its own: this one has room for one answer.
            del self._unanswered[message.conversation]
            self._alias[message.turn_id] = turn = earlier
            owed = self._journal.owed.get(turn)
        is_new = owed is None
        if owed is None:
            text = "" if self._is_known(turn) else message.user_text
            owed = Owed(turn, message.conversation, text, now, message.model)
        if message.is_over:
            self._end(owed, message, now, is_new=is_new)
        elif is_new:
            self._journal.begin(owed)
            self._write(owed)

    def take_discord(self, message: TurnEnded) -> None:
        """Keep a turn in Discord, told any number of times.

        Raises:
            OSError: it may not be kept.
        """
        conversation = f"{message.window.surface.value}/{message.window.id}"
        turn = f"{conversation} {message.turn_id}"
        said = [event for event in message.events if event.kind == "user" and event.text.strip()]
        answers = [event for event in message.events if event.kind == "agent" and event.text.strip()]
        if not said or turn in self._journal.owed or self._is_known(turn):
            return
        owed = Owed(turn, conversation, said[0].text, said[0].at)
        answer = answers[-1] if answers else None
        self._finish(owed, answer.text if answer else "", "", answer.at if answer else said[0].at, is_new=True)

    def write_again(self) -> None:
        """See that the texts of everything owed are in files, and that what a crash broke off is over.

        Raises:
            OSError: one may not be kept.
        """
        for owed in list(self._journal.owed.values()):
            if owed.answered_at is None:
                self._journal.end(owed, is_new=False, answer_text="", model="", at=self._host.now())
            self._write(owed)

    def _end(self, owed: Owed, message: StoreTurn, now: datetime, *, is_new: bool) -> None:
        self._alias.pop(message.turn_id, None)
        if message.answer_text:
            self._unanswered.pop(message.conversation, None)
        elif message.user_text:
            self._unanswered[message.conversation] = _Unanswered(owed.turn, message.user_text)
        if is_new and not owed.user_text and not message.answer_text:
            return
        self._finish(owed, message.answer_text, message.model, now, is_new=is_new)

    def _finish(self, owed: Owed, answer: str, model: str, at: datetime, *, is_new: bool) -> None:
        self._journal.end(owed, is_new=is_new, answer_text=answer, model=model, at=max(at, owed.at + _TICK))
        over = self._journal.owed[owed.turn]
        over.are_texts_kept = False
        try:
            self._write(over)
        finally:
            self._over()

    def _write(self, owed: Owed) -> None:
        keep_texts(self._keeper, owed)

    def _is_known(self, turn: str) -> bool:
        return any(self._keeper.catalogue.get(each) is not None for each in turn_entries(turn))

    def _repeated(self, message: StoreTurn) -> str | None:
        """The turn without an answer that a message repeats word for word."""
        unanswered = self._unanswered.get(message.conversation)
        is_same = unanswered is not None and message.user_text and unanswered.text == message.user_text
        return unanswered.turn if unanswered is not None and is_same else None


def keep_texts(keeper: Keeper, owed: Owed) -> None:
    """Put what is said in a turn into files, unless that was done.

    Raises:
        OSError: it may not be there.
    """
    if owed.are_texts_kept:
        return
    user, assistant = turn_entries(owed.turn)
    texts = (
        (user, EntryRole.USER, owed.user_text, owed.at),
        (
            assistant,
            EntryRole.ASSISTANT,
            owed.answer_text,
            owed.answered_at,
        ),
    )
    for entry_id, role, text, at in texts:
        if text and at is not None:
            entry = Entry(id=entry_id, role=role, conversation=owed.conversation, created_at=at, content=text)
            if not keeper.has_been(entry):
                keeper.add(entry)
    owed.are_texts_kept = True
