"""Notification of subscribers: logged events, turn by turn, and logged events outside of turns."""

from __future__ import annotations

from collections.abc import Collection

from actors.context.host import WindowHost
from domain.log.off_record import is_off_record
from messages.base import Address, EventId, Message, TurnId
from messages.turn import EventsLogged, LoggedEvent, TurnEnded, WindowBegun


class News:
    """Notifier of subscribers about logged events; a person's words wait for the end of the turn they open."""

    def __init__(self, host: WindowHost, subscribers: tuple[Address, ...]) -> None:
        self._host = host
        self._subscribers = subscribers
        self._questions: dict[TurnId, tuple[LoggedEvent, ...]] = {}
        """Logged events of users' words, for waiting or running turns."""

    def hold_question(self, turn_id: TurnId, *question: LoggedEvent) -> None:
        """Keep the opening words of a turn, and words that joined in an earlier life, until the turn has ended."""
        self._questions[turn_id] = question

    def take_question(self, turn_id: TurnId) -> tuple[LoggedEvent, ...]:
        """Held words of a turn, no longer reported with the turn."""
        return self._questions.pop(turn_id, ())

    def drop(self, event_ids: Collection[EventId]) -> None:
        """Report no words of these events."""
        for turn_id, question in self._questions.items():
            self._questions[turn_id] = tuple(each for each in question if each.id not in event_ids)

    def forget(self) -> None:
        """Forget all held words: their log is lost."""
        self._questions.clear()

    def turn_ended(self, turn_id: TurnId, outcome: str, audience: str, logged: list[LoggedEvent]) -> None:
        """Report the end of a turn.

        Args:
            turn_id: Id of the turn.
            outcome: `answered`, `failed` or `aborted`.
            audience: Readers of the window, as in the turn's message.
            logged: Logged events of the turn, without the held words.
        """
        question = self.take_question(turn_id)
        if any(is_off_record(each.meta_json) for each in question):
            return
        events, window = (*question, *logged), self._host.window
        self._tell(TurnEnded(window=window, turn_id=turn_id, outcome=outcome, events=events, audience=audience))

    def window_begun(self, path: str, previous: str) -> None:
        """The window goes on in a new log; told to the subscribers of the window's own."""
        begun = WindowBegun(window=self._host.window, log=path, previous_log=previous)
        for subscriber in self._subscribers:
            if subscriber.key:
                self._host.tell(subscriber, begun)

    def event_logged(self, event: LoggedEvent, audience: str) -> None:
        """Report a logged event outside of all turns; a message off the record is not reported."""
        if not is_off_record(event.meta_json):
            self.events_logged((event,), audience)

    def events_logged(self, events: tuple[LoggedEvent, ...], audience: str) -> None:
        """Report logged events outside of all turns."""
        self._tell(EventsLogged(window=self._host.window, events=events, audience=audience))

    def _tell(self, message: Message) -> None:
        for subscriber in self._subscribers:
            self._host.tell(subscriber, message)
