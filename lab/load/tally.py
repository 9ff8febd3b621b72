"""Tally of questions and answers by thread: when each was heard, and what stands there in the end.

Each event costs the same, however many threads there are.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lab.load.wording import is_part_of_answer, question, read_answer, secrets_in

_SAMPLES = 5


@dataclass(slots=True)
class LoadThread:
    """Thread of the load."""

    secret: str
    turns: int = 0
    """Turns said, numbered from 1."""
    answered: set[int] = field(default_factory=set)
    """Turns with an answer seen, even if changed later."""
    commands: set[int] = field(default_factory=set)
    """Turns with a command."""
    pending: dict[int, float] = field(default_factory=dict)
    """Turns neither answered nor given up, with the time when the wait of each began."""
    is_timed: bool = True
    """True if the times of the thread's answers are counted."""

    @property
    def all_turns(self) -> range:
        """Numbers of the turns said."""
        return range(1, self.turns + 1)

    def text(self, turn: int) -> str:
        """Message of turn number `turn`."""
        return question(self.secret, turn, has_command=turn in self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Verdict on the bot's messages in their present state, without earlier states."""

    unanswered: frozenset[tuple[int, int]]
    """(Channel, turn) of every message without a whole answer."""
    doubled: int
    """Answers beyond the first to the same turn."""
    disordered: int
    """Turns with an answer below the answer of a later turn."""
    unexpected: int
    """Messages other than answers: notices of failures, incomplete answers, running messages."""
    samples: tuple[str, ...]
    """First few unexpected messages."""
    cross_talk: int = 0
    """Messages with another thread's secret at any time, or any message in a channel outside the load."""


class Tally:
    """Counts of messages received so far. A single thread of the process feeds and reads the tally."""

    def __init__(self, threads: Mapping[int, LoadThread], second_call_s: float = 0.0) -> None:
        """Begin without messages.

        Args:
            threads: By channel id; more may come.
            second_call_s: The model's time for one call; counted only once for a turn with a command.
        """
        self._threads = threads
        self._second_call_s = second_call_s
        self._texts: dict[int, dict[int, str]] = {}
        """Text of each present message of the bot's, by channel and message id."""
        self._whole: set[int] = set()
        """Messages of the bot counted as an answer or a notice, so an edit ends no other turn's wait."""
        self._crossed: set[int] = set()
        """Messages of the bot counted as cross-talk, even if changed later."""
        self.replied = 0
        """Turns with an answer seen."""
        self.reply_times_s = array("d")
        """Seconds from each message to its answer."""
        self.last_at = 0.0
        """When anything was heard of the bot last."""

    def take_question(self, channel_id: int, at: float) -> None:
        """Take a person's newest message: the thread waits for the answer from `at` on, in seconds."""
        thread = self._threads.get(channel_id)
        if thread is not None:
            thread.pending[thread.turns] = at

    def take_message(self, channel_id: int, message_id: int, text: str, at: float) -> bool:
        """The bot posted or edited a message; whether a turn that its thread waited for has come to an end.

        Args:
            channel_id: Any channel.
            message_id: The same for an edit.
            text: All of the message.
            at: On the clock of `take_question`.
        """
        self.last_at = at
        thread = self._threads.get(channel_id)
        self._texts.setdefault(channel_id, {})[message_id] = text
        if secrets_in(text) - ({thread.secret} if thread is not None else set()):
            self._crossed.add(message_id)
        answer = read_answer(text)
        if thread is None or (answer is None and is_part_of_answer(text)):
            return False
        has_ended_a_wait = message_id in self._whole
        self._whole.add(message_id)
        if answer is not None:
            return answer.secret == thread.secret and self._take_answer(thread, answer.turn, at)
        return not has_ended_a_wait and self._give_up(thread)

    def take_deletion(self, channel_id: int, message_ids: Iterable[int]) -> None:
        """Take a deletion of messages by any author."""
        texts = self._texts.get(channel_id, {})
        for message_id in message_ids:
            texts.pop(message_id, None)

    def take_closing(self, channel_id: int) -> None:
        """Take the closing of a channel, with all messages there."""
        self._texts.pop(channel_id, None)

    def standing(self) -> Standing:
        """Counts of all present messages."""
        unanswered = {(channel_id, turn) for channel_id, thread in self._threads.items() for turn in thread.all_turns}
        doubled = disordered = 0
        unexpected: list[str] = []
        for channel_id, texts in self._texts.items():
            own_turns = [(self._turn_of(channel_id, texts[message_id]), message_id) for message_id in sorted(texts)]
            turns = [turn for turn, _ in own_turns if turn]
            unexpected += [texts[each] for turn, each in own_turns if not turn and each not in self._crossed]
            unanswered.difference_update((channel_id, turn) for turn in turns)
            doubled += len(turns) - len(set(turns))
            disordered += out_of_order(turns)
        return Standing(
            unanswered=frozenset(unanswered),
            doubled=doubled,
            disordered=disordered,
            unexpected=len(unexpected),
            samples=tuple(text[:300] for text in unexpected[:_SAMPLES]),
            cross_talk=len(self._crossed),
        )

    def _turn_of(self, channel_id: int, text: str) -> int:
        """Turn of its thread for which a text is a whole answer; 0 for other texts."""
        thread, answer = self._threads.get(channel_id), read_answer(text)
        if thread is None or answer is None or answer.secret != thread.secret or answer.turn not in thread.all_turns:
            return 0
        return answer.turn

    def _take_answer(self, thread: LoadThread, turn: int, at: float) -> bool:
        if turn in thread.answered or turn not in thread.all_turns:
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


def out_of_order(turns: Iterable[int]) -> int:
    """Number of turns first appearing behind a greater turn."""
    count = greatest = 0
    for turn in dict.fromkeys(turns):
        count += turn < greatest
        greatest = max(greatest, turn)
    return count
