"""Presence of a running turn for people: typing, the answer so far, the current work, and a reaction."""

from __future__ import annotations

from collections.abc import Iterable

from actors.context.host import WindowHost
from actors.kernel import Timer
from domain.turn.turn import Turn
from messages.base import MessageId, TurnId
from messages.context import StatusDue, TypingDue
from messages.discord import EndProgress, ReactionKind, ShowProgress, ShowReaction, ShowTyping

STATUS_AFTER_S = 1.0
"""Seconds of work before a status is shown; shorter work is not worth a call to Discord."""
TYPING_RENEWAL_S = 20.0
"""Typing ends by itself after `actors.discord.timing.Timing.typing_limit_s`, a longer time than this."""
_STATUS_CHARS = 80
_NO_TURN = TurnId("")


class Presence:
    """Progress of the running turn, reported to the surface; without repetitions, and without short-lived work.

    Typing is a lease: the lease is renewed while the turn runs, and ends by itself when the actor has stopped.
    """

    def __init__(self, host: WindowHost, *, streams: bool, reacts: bool) -> None:
        """No turn runs.

        Args:
            host: The actor of the window.
            streams: Whether the surface shows answers while they are being written.
            reacts: Whether the surface shows reactions.
        """
        self._host = host
        self._streams = streams
        self._reacts = reacts
        self._turn_id = _NO_TURN
        self.dropped = _NO_TURN
        """Last turn, if the end of the turn was not reported."""
        self._message_id = ""
        self._was_resumed = False
        self._shows_progress = False
        self._text = ""
        self._status = ""
        self._next_status = ""
        self._step = 0
        self._last_state = ("", "")
        self._status_timer: Timer | None = None
        self._typing_timer: Timer | None = None

    def begin(self, turn: Turn) -> None:
        """A turn runs from now on."""
        self._turn_id, self._message_id, self._was_resumed = turn.id, turn.message_id, turn.was_resumed
        # A message that an earlier life left is made the answer; a second one beside it would confuse.
        self._shows_progress = self._streams and not turn.was_resumed
        self._text = self._status = self._next_status = ""
        self._last_state = ("", "")
        self._type()
        self.react([turn.message_id], ReactionKind.RESUMED if turn.was_resumed else ReactionKind.TAKEN)

    def write(self, text: str) -> None:
        """Show the answer so far, in place of the current work."""
        self._stop_status()
        self._text, self._status = text, ""
        self._show()

    def note(self, text: str) -> None:
        """Keep the words before a command, to be shown with the command's status."""
        if text.strip():
            self._text = text

    def work(self, status: str) -> None:
        """Note the current work; the status is shown if the work lasts."""
        self._stop_status()
        if self._shows_progress:
            self._step += 1
            self._next_status = status
            due = StatusDue(turn_id=self._turn_id, step=self._step)
            self._status_timer = self._host.after(STATUS_AFTER_S, due)

    def rest(self) -> None:
        """End the status of a command while the model thinks; a visible status is replaced."""
        self._stop_status()
        if self._status:
            self.work("" if self._text else "thinking")

    def due(self, due: StatusDue | TypingDue) -> None:
        """Prolong typing, or show the current work, if the turn and the work still go on."""
        if due.turn_id != self._turn_id:
            return
        if isinstance(due, TypingDue):
            self._type()
        elif due.step == self._step and self._status_timer is not None:
            self._status_timer = None
            self._status = self._next_status
            self._show()

    def end(self, outcome: str, note: str, message_ids: Iterable[str]) -> None:
        """Report the end of the turn.

        Args:
            outcome: `answered`, `failed` or `aborted`; only after `aborted` does no text replace the progress.
                An answered turn shows its reaction once the answer is visible.
            note: Reason, if aborted.
            message_ids: Messages of users in the turn.
        """
        if outcome == "aborted":
            self._end_progress(self._turn_id, self._message_id, note, look_first=self._was_resumed)
        if outcome != "answered":
            self.react(message_ids, ReactionKind.FAILED)
        self.drop()
        self.dropped = _NO_TURN

    def end_earlier(self, turn: Turn, note: str) -> None:
        """Report the end, without an answer, of a turn begun in an earlier life."""
        self._end_progress(turn.id, turn.message_id, note, look_first=True)

    def _end_progress(self, turn_id: TurnId, message_id: str, note: str, *, look_first: bool) -> None:
        if not self._streams:
            return
        ended = EndProgress(
            window=self._host.window,
            turn_id=turn_id,
            note=note,
            answers_message_id=MessageId(message_id if look_first else ""),
            look_first=look_first,
        )
        self._host.tell(self._host.surface, ended)

    def drop(self) -> None:
        """Say no more of the turn."""
        self._stop_status()
        if self._typing_timer is not None:
            self._typing_timer.cancel()
        self.dropped, self._turn_id, self._typing_timer = self._turn_id, _NO_TURN, None
        self._host.tell(self._host.surface, ShowTyping(window=self._host.window, on=False))

    def react(self, message_ids: Iterable[str], kind: ReactionKind) -> None:
        """Show the outcome of messages."""
        if not self._reacts:
            return
        for message_id in message_ids:
            if message_id.isdecimal():
                reaction = ShowReaction(window=self._host.window, message_id=MessageId(message_id), kind=kind)
                self._host.tell(self._host.surface, reaction)

    def _type(self) -> None:
        self._host.tell(self._host.surface, ShowTyping(window=self._host.window, on=True))
        self._typing_timer = self._host.after(TYPING_RENEWAL_S, TypingDue(turn_id=self._turn_id))

    def _show(self) -> None:
        now = (self._text, self._status)
        if self._shows_progress and now != self._last_state:
            self._last_state = now
            progress = ShowProgress(
                window=self._host.window,
                turn_id=self._turn_id,
                text=self._text,
                status=self._status,
                answers_message_id=MessageId(self._message_id),
            )
            self._host.tell(self._host.surface, progress)

    def _stop_status(self) -> None:
        if self._status_timer is not None:
            self._status_timer.cancel()
            self._status_timer = None


def command_status(command: str) -> str:
    """One-line status for the time that `command` runs.

    The line is cut between words only: half a secret could not be recognised and hidden.
    """
    words, line = command.replace("`", "'").split(), ""
    for word in words:
        if len(line) + len(word) >= _STATUS_CHARS:
            return f"running `{line}…`"
        line += f"{word} "
    return f"running `{line.strip()}`"
