"""Tally of questions and answers by thread; each message costs the same, however many threads there are."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.load.wording import is_part_of_answer, question, read_answer, secrets_in

_SAMPLES = 5


@dataclass(slots=True)
class LoadThread:
    """One thread of the load."""

    secret: str
    turns: int = 0
    """Turns that were said, which are numbered from 1."""
    answered: set[int] = field(default_factory=set)
    commands: set[int] = field(default_factory=set)
    """Turns that run a command."""
    pending: dict[int, float] = field(default_factory=dict)
    """Turns that are neither answered nor given up, with the time at which each began to wait."""
    is_timed: bool = True
    """Whether its answers' times are counted."""

    def text(self, turn: int) -> str:
        """What is said as that turn."""
        return question(self.secret, turn, has_command=turn in self.commands)


class Tally:
    """Counts of what has come back so far. One thread of the process feeds it; any may read the counts."""

    def __init__(self, threads: Mapping[int, LoadThread], second_call_s: float = 0.0) -> None:
        """Nothing was said yet.

        Args:
            threads: By channel id; more may come.
            second_call_s: The model's time for one call; of a turn with a command it is not counted twice.
        """
        self._threads = threads
        self._second_call_s = second_call_s
        self._counted: set[int] = set()
        """Messages of the bot that were counted, so that an edit does not count again."""
        self.replied = 0
        """Turns that were answered as they should be."""
        self.doubled = 0
        """Answers to turns that were answered before."""
        self.cross_talk = 0
        """Messages of the bot with a secret of another thread, or with any in a channel that is no thread of ours."""
        self.unexpected = 0
        """Other messages of the bot that are no answers, such as its notices that something failed."""
        self.samples: list[str] = []
        """The first of the unexpected ones."""
        self.reply_times_s = array("d")
        """Seconds from each message to its answer."""
        self.last_at = 0.0
        """When anything was heard of the bot last."""

    def said(self, channel_id: int, at: float) -> None:
        """A person's newest message is posted: its thread waits for the answer from `at` on, in seconds."""
        thread = self._threads.get(channel_id)
        if thread is not None:
            thread.pending[thread.turns] = at

    def heard(self, channel_id: int, message_id: int, text: str, at: float) -> bool:
        """The bot posted or edited a message; whether a turn that its thread waited for has come to an end.

        Args:
            channel_id: Any channel.
            message_id: The same for an edit.
            text: All of the message.
            at: On the clock of `said`.
        """
        self.last_at = at
        thread = self._threads.get(channel_id)
        answer = read_answer(text)
        if message_id in self._counted or (answer is None and thread is not None and is_part_of_answer(text)):
            return False
        self._counted.add(message_id)
        if secrets_in(text) - ({thread.secret} if thread is not None else set()):
            self.cross_talk += 1
        elif answer is None or thread is None:
            self._note_unexpected(text)
        if thread is None or (answer is not None and answer.secret != thread.secret):
            return False
        return self._give_up(thread) if answer is None else self._answered(thread, answer.turn, text, at)

    def unanswered(self) -> set[tuple[int, int]]:
        """(Channel, turn) of every message that was said and has no answer."""
        return {
            (channel_id, turn)
            for channel_id, thread in self._threads.items()
            for turn in range(1, thread.turns + 1)
            if turn not in thread.answered
        }

    def _answered(self, thread: LoadThread, turn: int, text: str, at: float) -> bool:
        if turn in thread.answered:
            self.doubled += 1
            return False
        if turn > thread.turns:
            self._note_unexpected(text)
            return False
        thread.answered.add(turn)
        self.replied += 1
        said_at = thread.pending.pop(turn, None)
        if said_at is None:  # given up before: a notice came first
            return False
        if thread.is_timed:
            self.reply_times_s.append(at - said_at - self._second_call_s * (turn in thread.commands))
        return True

    def _give_up(self, thread: LoadThread) -> bool:
        was_waiting = bool(thread.pending)
        thread.pending.clear()
        return was_waiting

    def _note_unexpected(self, text: str) -> None:
        self.unexpected += 1
        if len(self.samples) < _SAMPLES:
            self.samples.append(text[:300])
