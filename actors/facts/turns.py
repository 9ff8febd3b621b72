"""Turns as they come: the texts go to the journal and to files before the report of their storage."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from actors.facts.store.journal import TICK, Journal, Owed
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import turn_entries
from actors.facts.store.recent import RecentTurn
from actors.kernel import Host
from domain.facts.entry import Entry
from domain.facts.folders import folder_of, path_of
from messages.base import TurnId
from messages.facts import EntryRole, StoreTurn
from messages.forget import ForgetDerived
from messages.turn import LoggedEvent, TurnEnded

log = logging.getLogger(__name__)

MOST_UNTAKEN = 200
"""Most turns in Discord that wait for a disk; beyond the limit the oldest is lost."""


class Turns:
    """Keeper of the words of turns.

    A question that a client repeats counts once, after kills too: the new answer joins a turn without an answer, and
    replaces an answer that the client does not show.
    """

    def __init__(self, host: Host, keeper: Keeper, journal: Journal, over: Callable[[Owed], None]) -> None:
        """Begin without turns.

        Args:
            host: The actor.
            keeper: Keeps texts.
            journal: Notes owed work.
            over: Told of a finished turn with owed work.
        """
        self._host = host
        self._keeper = keeper
        self._journal = journal
        self._over = over
        self._retried: dict[str, RecentTurn] = {}
        """Turn under way -> earlier turn without an answer, repeated by this turn and with room for one answer."""
        self._unwritten: list[Owed] = []
        """Turns in the journal whose texts are still to be put into files."""
        self._untaken: deque[TurnEnded] = deque(maxlen=MOST_UNTAKEN)
        """Turns in Discord still to be noted in the journal, oldest first: the disk may refuse a turn for a while."""

    def take(self, message: StoreTurn) -> None:
        """Note a message's content in the journal, safe from a power loss; `write` puts the content into files.

        Raises:
            OSError: the content may not be kept.
        """
        now = self._host.now()
        if message.turn_id not in self._journal.owed and self._is_known(message.turn_id):
            self._take_late_answer(message, now)
            return
        earlier = self._retried.get(message.turn_id)
        if earlier is None and message.turn_id not in self._journal.owed:
            earlier = self._find_earlier(message, now)
        if earlier is not None and earlier.answer:
            self._take_another_answer(message, earlier, now)
            return
        turn = message.turn_id
        if earlier is not None:
            self._retried[turn], turn = earlier, earlier.turn
        owed = self._journal.owed.get(turn)
        is_new = owed is None
        if owed is None:
            text = "" if earlier is not None and self._has_words(earlier) else message.user_text
            owed = Owed(turn, message.conversation, text, now, message.model)
        if message.is_over:
            self._end(owed, message, now, is_new=is_new)
        elif is_new:
            self._journal.begin(owed)
            self._unwritten.append(owed)

    def write(self) -> None:
        """Put the texts of taken turns into files; after a failure the work on each turn repeats the attempt.

        Raises:
            OSError: the texts may be missing.
        """
        unwritten, self._unwritten = self._unwritten, []
        for owed in unwritten:
            keep_texts(self._keeper, owed)

    def note_discord(self, message: TurnEnded) -> None:
        """Note a turn in Discord, told any number of times, for `take_discord`."""
        if message in self._untaken:
            return
        if len(self._untaken) == MOST_UNTAKEN:
            lost = self._untaken[0]
            log.warning(
                "turn %s of %s is not kept: too many turns wait for the disk", lost.turn_id, lost.window.address
            )
        self._untaken.append(message)

    def take_discord(self) -> None:
        """Keep all noted turns in Discord.

        Raises:
            OSError: a turn may not be kept; the same call goes on.
            UnicodeError: a turn cannot be kept; the same call goes on behind the turn.
        """
        while self._untaken:
            message = self._untaken.popleft()
            try:
                self._take_discord(message)
            except OSError:
                self._untaken.appendleft(message)
                raise

    def forget(self, request: ForgetDerived) -> None:
        """Drop noted turns that were forgotten meanwhile."""
        gone = {(event.window, event.turn_id or event.event_id) for event in request.events}
        stays = [
            replace(each, events=tuple(event for event in each.events if (each.window, event.id) not in gone))
            for each in self._untaken
            if (each.window, each.turn_id) not in gone
        ]
        self._untaken = deque(stays, MOST_UNTAKEN)

    def _take_discord(self, message: TurnEnded) -> None:
        conversation = f"{message.window.surface.value}/{message.window.id}"
        users = [event for event in message.events if event.kind == "user"]
        answers = [event for event in message.events if event.kind == "agent" and event.text.strip()]
        has_words = any(event.text.strip() for event in users)
        for event in users if has_words else ():  # each by its own id, by which joined words are forgotten too
            turn = f"{conversation} {event.id}"
            answer = answers[-1] if answers and TurnId(event.id) == message.turn_id else None
            is_empty = answer is None and not event.text.strip()
            if is_empty or turn in self._journal.owed or self._has_been_kept(turn, event, conversation):
                continue
            owed = Owed(turn, conversation, event.text.strip() and event.text, event.at)
            at = answer.at if answer else event.at
            self._finish(owed, answer.text if answer else "", "", at, is_new=True)
        self.write()

    def _has_been_kept(self, turn: str, words: LoggedEvent, conversation: str) -> bool:
        """True if a turn in Discord was kept before: known, or in a file at the usual place, deleted or not."""
        path = path_of(folder_of(conversation), EntryRole.USER, words.at, turn_entries(turn)[0])
        files = self._keeper.files
        return self._is_known(turn) or files.stamp(path) is not None or files.is_buried(path)

    def write_again(self) -> None:
        """Ensure that the texts of all owed turns are in files, and end turns broken off by a crash.

        Raises:
            OSError: a turn may not be kept.
        """
        for owed in list(self._journal.owed.values()):
            if owed.answered_at is None:
                self._journal.end(owed, is_new=False, answer_text="", model="", at=self._host.now())
            keep_texts(self._keeper, owed)

    def _end(self, owed: Owed, message: StoreTurn, now: datetime, *, is_new: bool) -> None:
        self._retried.pop(message.turn_id, None)
        if is_new and not owed.user_text and not message.answer_text:
            return
        self._finish(owed, message.answer_text, message.model, now, is_new=is_new)

    def _finish(self, owed: Owed, answer: str, model: str, at: datetime, *, is_new: bool) -> None:
        self._journal.end(owed, is_new=is_new, answer_text=answer, model=model, at=max(at, owed.at + TICK))
        over = self._journal.owed[owed.turn]
        over.are_texts_kept = False
        self._unwritten.append(over)
        self._over(over)

    def _take_late_answer(self, message: StoreTurn, now: datetime) -> None:
        """Keep the answer of a known turn without one: a restart of the actor ended the turn before the answer."""
        answer = turn_entries(message.turn_id)[1]
        is_there = self._keeper.catalogue.get(answer) is not None or self._keeper.is_forgotten(answer)
        if message.is_over and message.answer_text and not is_there:
            self._keeper.files.sync()  # the words, which the journal holds no more from here on
            owed = Owed(message.turn_id, message.conversation, "", now, message.model)
            self._finish(owed, message.answer_text, message.model, now, is_new=True)

    def _is_known(self, turn: str) -> bool:
        return any(self._keeper.catalogue.get(each) is not None for each in turn_entries(turn))

    def _find_earlier(self, message: StoreTurn, now: datetime) -> RecentTurn | None:
        """Earlier turn with the same question as a message, unless the turn is still under way."""
        if not message.user_text:
            return None
        recent = self._journal.recent.find(message.conversation, message.user_text, message.answer_before, now)
        if recent is None or any(recent.turn == each.turn for each in self._retried.values()):
            return None
        owed = self._journal.owed.get(recent.turn)
        return recent if owed is None or owed.answered_at is not None else None

    def _has_words(self, turn: RecentTurn) -> bool:
        """True if the words of a turn are in a file, wherever a person moved the file."""
        return self._is_known(turn.turn) or self._keeper.files.stamp(turn.words_path) is not None

    def _take_another_answer(self, message: StoreTurn, earlier: RecentTurn, now: datetime) -> None:
        """Keep another answer to a kept question; without a new answer the existing answer stays."""
        if message.is_over and message.answer_text:
            owed = Owed(
                message.turn_id, message.conversation, "", now, message.model, earlier.turn, earlier.answer_path
            )
            self._finish(owed, message.answer_text, message.model, now, is_new=True)


def keep_texts(keeper: Keeper, owed: Owed) -> None:
    """Put the words of a turn into files, unless already done.

    Raises:
        OSError: the words may be missing.
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
