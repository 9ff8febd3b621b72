"""Clients of the agent's gateway: each talks in its own conversation, and resends unanswered messages."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actors.socket.client import AgentNotRunningError, RefusalError
from lab.bench.facts.client import Client, NoAnswerError
from lab.bench.facts.store import read
from lab.bench.facts.systems import STORE
from lab.bench.facts.verdict import ClientMessage, judge_kept
from lab.bench.facts.words import message
from lab.chaos.kills.ledger import Tally
from lab.chaos.kills.word import gateway_base

TALKERS = 3
_LOOK_S = 0.05
_TRIES = 5
"""Of a message in a life in peace, where faults of the model may be left from before."""
_LOST = ("words_lost", "answers_lost", "streams_lost", "facts_lost")
_DOUBLED = ("turns_doubled", "facts_doubled")


class Clients:
    """Programs of a few people through all lives of an agent; one thread directs them."""

    def __init__(self, data_root: Path, choices: random.Random) -> None:
        """No message yet."""
        self._data_root = data_root
        self._choices = choices
        self._messages: list[ClientMessage] = []
        self._unanswered: dict[str, ClientMessage] = {}
        self._talking: dict[str, threading.Thread] = {}
        self._counts = dict.fromkeys(range(TALKERS), 0)
        self.is_disk_full = False
        """True while an answer promises no storage, since the gateway may be unable to keep the turn."""

    def talk(self, over: threading.Event) -> None:
        """Have a client say something, unless the client still waits for an answer.

        Args:
            over: Set when the agent is dead.
        """
        talker = self._choices.randrange(TALKERS)
        conversation, is_stream = f"talk-{talker}", self._choices.random() < 0.5
        if (earlier := self._talking.get(conversation)) is not None and earlier.is_alive():
            return
        unanswered = self._unanswered.pop(conversation, None)
        if unanswered is None:
            self._counts[talker] += 1
            unanswered = ClientMessage(conversation, f"by{talker}", self._counts[talker], "", is_stream)
        thread = threading.Thread(target=self._ask, args=(unanswered, over), daemon=True)
        self._talking[conversation] = thread
        thread.start()

    def begin_life(self) -> None:
        """No agent lives: return when no client waits for an answer."""
        for thread in self._talking.values():
            thread.join()
        self.is_disk_full = False

    def finish(self, over: threading.Event) -> None:
        """Have each unanswered message sent again, in a life in peace."""
        for _ in range(_TRIES):
            for unanswered in [*self._unanswered.values()]:
                self._ask(self._unanswered.pop(unanswered.conversation), over)

    def judge(self, tally: Tally) -> None:
        """Compare answered messages with the files of the gateway."""
        stored = read(self._data_root / STORE)
        figures = judge_kept(self._messages, stored)
        tally.gateway_said, tally.gateway_answered = figures["said"], figures["answered"]
        for name, kinds in (("gateway_lost", _LOST), ("gateway_doubled", _DOUBLED)):
            for kind in kinds:
                if figures[kind]:
                    tally.note(name, kind.replace("_", " "), figures[kind])
        for broken in stored.broken:
            tally.note("gateway_lost", f"broken entry {broken}")

    def _ask(self, sent: ClientMessage, over: threading.Event) -> None:
        """Send a message; without an answer the message counts as unanswered."""
        answer = ""
        with contextlib.suppress(NoAnswerError, StopIteration), Client(next(self._bases(over))) as client:
            words = message(sent.series, sent.number)
            answer = client.ask(sent.conversation, words, stream=sent.is_stream).text
        if answer and not self.is_disk_full:
            self._messages.append(replace(sent, answer=answer))
        elif not answer:
            self._messages.append(sent)
            self._unanswered[sent.conversation] = replace(sent, is_retry=True)

    def _bases(self, over: threading.Event) -> Iterator[str]:
        """Base of the gateway's paths, once the gateway listens; empty if the agent dies before."""
        while not over.is_set():
            with contextlib.suppress(AgentNotRunningError, RefusalError, LookupError):
                yield gateway_base(self._data_root)
            over.wait(_LOOK_S)
