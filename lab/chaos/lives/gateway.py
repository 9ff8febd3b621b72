"""Gateway with memory as a subject: killed at random moments of the work behind its answers.

Clients resend an unanswered message in the next life, word for word; in the last life all are answered.
"""

from __future__ import annotations

import dataclasses
import json
import random
import threading
from collections.abc import Sequence
from pathlib import Path

from lab.bench.facts.client import NoAnswerError
from lab.bench.facts.stage import Gateway, upstream
from lab.bench.facts.store import Stored, read
from lab.bench.facts.systems import Ours
from lab.bench.facts.verdict import LOST, ClientMessage, judge_kept
from lab.bench.facts.words import message
from lab.chaos.lives.account import Account
from lab.chaos.lives.campaign import Counts, Subject

TALKERS = 4
MOST_SAID = 6
"""Most messages of one talker in a life."""
LONGEST_S = 0.6
"""From the first answer to the kill."""
PATIENCE_S = 10.0
"""For the first answer."""
LATENCY_S = 0.01
"""Latency of the models, to prolong the work behind an answer."""
SAID = "said"
LAST_QUIET_S = 2.0
SYSTEM = Ours()


class KilledGateway:
    """Lives of a gateway in front of a model's server; people talk to each life until its death."""

    def __init__(self, scratch: Path) -> None:
        """Start the model's server, with its output in a folder."""
        self._upstream = upstream(scratch, LATENCY_S)
        self._its_upstream = self._upstream.__enter__()
        self._unanswered: dict[tuple[Path, int], ClientMessage] = {}
        """Last unanswered message of a talker in a folder: the client resends the message in the next life."""

    def kill(self, folder: Path, number: int, chance: random.Random) -> str:
        """Talk for a while, and kill in the midst of the talk or of the later work."""
        with Gateway(SYSTEM, folder, self._its_upstream) as gateway:
            gateway.wait()
            talk, talkers = _Talk(gateway, Account(folder), self._unanswered), list[threading.Thread]()
            for talker in range(TALKERS):
                series, is_stream = f"life{number}by{talker}", chance.random() < 0.5
                messages = [
                    ClientMessage(f"talk-{talker}", series, each, "", is_stream)
                    for each in range(chance.randint(1, MOST_SAID))
                ]
                talkers.append(threading.Thread(target=talk.say, args=((folder, talker), messages)))
            for thread in talkers:
                thread.start()
            talk.is_answered.wait(PATIENCE_S)
            threading.Event().wait(chance.uniform(0, LONGEST_S))
            gateway.kill()
            for thread in talkers:
                thread.join()
        return ""

    def finish(self, folder: Path) -> str:
        """Let clients have their last answers, and all owed work be done."""
        with Gateway(SYSTEM, folder, self._its_upstream) as gateway:
            gateway.wait()
            talk = _Talk(gateway, Account(folder), self._unanswered)
            for talker in range(TALKERS):
                talk.say((folder, talker), ())
            gateway.settle(LAST_QUIET_S)
            gateway.stop()
        return ""

    def __enter__(self) -> KilledGateway:
        return self

    def __exit__(self, *_: object) -> None:
        self._upstream.__exit__(None, None, None)


class _Talk:
    """Messages of people in one life of a gateway, each in a thread and a conversation of their own."""

    def __init__(self, gateway: Gateway, account: Account, unanswered: dict[tuple[Path, int], ClientMessage]) -> None:
        self._gateway, self._account, self._unanswered = gateway, account, unanswered
        self.is_answered = threading.Event()

    def say(self, talker: tuple[Path, int], messages: Sequence[ClientMessage]) -> None:
        """Send one person's messages until an answer fails, after the message left unanswered in the life before."""
        earlier = self._unanswered.pop(talker, None)
        with self._gateway.client() as client:
            for each in (*([earlier] if earlier is not None else []), *messages):
                try:
                    words = message(each.series, each.number)
                    answer = client.ask(each.conversation, words, stream=each.is_stream)
                except NoAnswerError:
                    self._account.note(SAID, each.text())
                    self._unanswered[talker] = dataclasses.replace(each, is_retry=True)
                    return
                self._account.note(SAID, dataclasses.replace(each, answer=answer.text).text())
                self.is_answered.set()


def _read_store(folder: Path) -> Stored:
    return read(SYSTEM.store(folder))


def _judge(folder: Path) -> Counts:
    return judge_kept((ClientMessage(**json.loads(line)) for line in Account(folder).about(SAID)), _read_store(folder))


GATEWAY = Subject(
    name="gateway",
    killer=KilledGateway,
    judge=_judge,
    wrong=frozenset({*LOST, "broken", "torn"}),
    lives_a_folder=25,
    look=lambda folder: {"torn": sum(path.partition(":")[0].endswith(".md") for path in _read_store(folder).broken)},
)
"""`torn` are half entries right after a kill."""
