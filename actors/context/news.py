"""Notification of subscribers: what was logged, turn by turn, and what was logged outside of turns."""

from __future__ import annotations

from actors.context.host import WindowHost
from domain.log.off_record import is_off_record
from messages.base import Address, Message, TurnId
from messages.turn import EventsLogged, LoggedEvent, TurnEnded, WindowBegun


class News:
    """Notifier of subscribers: events that are in the log; a person's words wait for the end of the turn they open."""

    def __init__(self, host: WindowHost, subscribers: tuple[Address, ...]) -> None:
        self._host = host
        self._subscribers = subscribers
        self._questions: dict[TurnId, LoggedEvent] = {}
        """Logged events of users' words, for turns that wait or run."""

    def hold_question(self, turn_id: TurnId, question: LoggedEvent) -> None:
        """Keep the words that opened a turn until that has ended."""
        self._questions[turn_id] = question

    def take_question(self, turn_id: TurnId) -> LoggedEvent | None:
        """The words that opened a turn, told with it no more; None if they are not held."""
        return self._questions.pop(turn_id, None)

    def forget(self) -> None:
        """Forget all held words: their log is lost."""
        self._questions.clear()

    def turn_ended(self, turn_id: TurnId, outcome: str, audience: str, logged: list[LoggedEvent]) -> None:
        """A turn is over.

        Args:
            turn_id: Id of the turn.
            outcome: `answered`, `failed` or `aborted`.
            audience: Who reads the window, as the turn's message said.
            logged: Logged events of the turn, without the words that opened it.
        """
        question = self.take_question(turn_id)
        if question is not None and is_off_record(question.meta_json):
            return
        events = (*((question,) if question else ()), *logged)
        window = self._host.window
        self._tell(TurnEnded(window=window, turn_id=turn_id, outcome=outcome, events=events, audience=audience))

    def window_begun(self, path: str, previous: str) -> None:
        """The window goes on in a new log; told to the subscribers of the window's own."""
        begun = WindowBegun(window=self._host.window, log=path, previous_log=previous)
        for subscriber in self._subscribers:
            if subscriber.key:
                self._host.tell(subscriber, begun)

    def event_logged(self, event: LoggedEvent, audience: str) -> None:
        """An event that belongs to no turn is in the log; of a message off the record nothing is told."""
        if not is_off_record(event.meta_json):
            self.events_logged((event,), audience)

    def events_logged(self, events: tuple[LoggedEvent, ...], audience: str) -> None:
        """Events that belong to no turn are in the log."""
        self._tell(EventsLogged(window=self._host.window, events=events, audience=audience))

    def _tell(self, message: Message) -> None:
        for subscriber in self._subscribers:
            self._host.tell(subscriber, message)
