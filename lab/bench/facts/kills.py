"""Kills of a gateway at random moments of its work behind the answer, and what is on the disk in the end."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.bench.facts.client import NoAnswerError
from lab.bench.facts.stage import Gateway, upstream
from lab.bench.facts.store import Entry, Stored, read
from lab.bench.facts.systems import System
from lab.bench.facts.words import fact, message
from lab.bench.measure import Figures

TALKERS = 4
MOST_SAID = 6
"""Of one talker in a life."""
LONGEST_S = 0.6
"""From the first answer to the kill."""
PATIENCE_S = 10.0
"""For the first answer."""
LATENCY_S = 0.01
"""Of the models, so that the work behind an answer takes a while."""
LOOK_EVERY = 25
"""Kills after which the files are looked at as the kill has left them."""
LAST_QUIET_S = 2.0
COUNTED = (
    "said",
    "answered",
    "words_lost",
    "answers_lost",
    "streams_lost",
    "turns_doubled",
    "facts_lost",
    "facts_doubled",
)


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a person."""

    conversation: str
    series: str
    number: int
    answer: str
    """Empty where no whole one came."""
    is_stream: bool


def judged(said: Iterable[Said], stored: Stored) -> Figures:
    """What is missing of that which was answered, and what of all is there twice.

    Args:
        said: Everything.
        stored: The files when all owed work is done.
    """
    live = [entry for entry in stored.entries if entry.is_live]
    users, answers, facts = (_bodies(live, role) for role in ("user", "assistant", "memory"))
    figures: Figures = dict.fromkeys(COUNTED, 0)
    for each in said:
        user = users[each.conversation, message(each.series, each.number)]
        answer = answers[each.conversation, each.answer] if each.answer else 0
        kept = facts[each.conversation, fact(each.series, each.number)]
        figures["said"] += 1
        figures["turns_doubled"] += max(0, user - 1) + max(0, answer - 1)
        figures["facts_doubled"] += max(0, kept - 1)
        if each.answer:
            figures["answered"] += 1
            figures["words_lost"] += not user
            figures["streams_lost" if each.is_stream else "answers_lost"] += not answer
            figures["facts_lost"] += not kept
    figures["doubled"] = figures["turns_doubled"] + figures["facts_doubled"]
    return {**figures, "files": len(stored.entries), "broken": len(stored.broken)}


def _bodies(entries: Iterable[Entry], role: str) -> Counter[tuple[str, str]]:
    return Counter((entry.conversation, entry.body) for entry in entries if entry.role == role)


def killed(system: System, folder: Path, kills: int, seed: str, tick: Callable[[int], object]) -> Figures:
    """Kill so often, let all owed work be done, and judge.

    Args:
        system: Is killed.
        folder: Empty; its store is made there.
        kills: How often.
        seed: Decides what is said, and when the kills come.
        tick: Called with the number of each kill.

    Raises:
        MeasurementError: it did not start after a kill.
    """
    chance, said, torn = random.Random(seed), list[Said](), 0
    place = folder / "killed"
    place.mkdir()
    with upstream(folder, LATENCY_S) as its_upstream:
        for number in range(1, kills + 1):
            with Gateway(system, place, its_upstream) as gateway:
                gateway.wait()
                said += _life(gateway, number, chance)
            if number % LOOK_EVERY == 0 or number == kills:
                torn += sum(path.partition(":")[0].endswith(".md") for path in read(system.store(place)).broken)
            tick(number)
        with Gateway(system, place, its_upstream) as gateway:
            gateway.wait()
            gateway.settle(LAST_QUIET_S)
            gateway.stop()
    return {"kills": kills, "torn": torn, **judged(said, read(system.store(place)))}


def _life(gateway: Gateway, number: int, chance: random.Random) -> list[Said]:
    """Some talk, and a kill in the midst of it or of the work after it."""
    talk, talkers = _Talk(gateway), list[threading.Thread]()
    for talker in range(TALKERS):
        arguments = (talker, f"life{number}by{talker}", chance.randint(1, MOST_SAID), chance.random() < 0.5)
        talkers.append(threading.Thread(target=talk.say, args=arguments))
    for thread in talkers:
        thread.start()
    talk.is_answered.wait(PATIENCE_S)
    threading.Event().wait(chance.uniform(0, LONGEST_S))
    gateway.kill()
    for thread in talkers:
        thread.join()
    return talk.said


class _Talk:
    """What people say in one life of a gateway, each in a thread and a conversation of their own."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.said: list[Said] = []
        self.is_answered = threading.Event()

    def say(self, talker: int, series: str, count: int, is_stream: bool) -> None:
        """One person's messages, until there is no answer."""
        conversation = f"talk-{talker}"
        with self._gateway.client() as client:
            for number in range(count):
                try:
                    told = client.ask(conversation, message(series, number), stream=is_stream)
                except NoAnswerError:
                    self.said.append(Said(conversation, series, number, "", is_stream))
                    return
                self.said.append(Said(conversation, series, number, told.text, is_stream))
                self.is_answered.set()
