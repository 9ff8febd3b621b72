"""Measurement of the import: a past taken in by the real agent, on a loopback Discord, with kills and questions.

The loopback Discord shares the machine, and has no rate limits here.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from domain.log.parser import parse
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.loopback_agent import PATIENCE_S, LoopbackAgent, discord_table
from lab.bench.measure import Figures
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, YOU_ID

CHANNELS = 8
"""Places with a past: seven channels and one thread below the last."""
BESIDE = 24
"""Questions that are asked one after another while the import reads, before each rest."""
RESTING = 8
"""Questions of each rest of the import."""
LAST_QUESTIONS = 120
"""Questions after the end of the import."""
SETTLES_S = 0.5
"""Seconds from the pause command to the first question: work in progress is stored first."""
ANSWER_S = 60.0
"""Limit for one answer; the slowest took 2 s."""
LOOK_S = 0.2
PAUSE_S = 0.2
"""Between an answer and the next question; in ten minutes 3,000 may be asked."""
MOST_TURNS = 10_000
"""Most questions of one person in ten minutes that the agent answers."""
WORDS = (
    "the boiler needs a new valve before winter so please order two",
    "deploy went fine after we raised the memory limit of the workers",
    "who has the keys for the garden gate and when can I fetch them",
    "meeting moved to Thursday at ten because Anna is on the train",
    "I pushed the fix for the flaky parser test and it is green again",
    "lunch at the new place was good but they only take cash",
)
WINDOW = "cli/operator"

Say = Callable[[str], object]


def measure(say: Say, *, messages: int, kills: int, meaning: bool) -> Rows:
    """Plant a past, ask questions alone, then beside the import, with kills; count what is in the logs.

    Raises:
        MeasurementError: the agent did not come online, did not answer, or did not end the import.
    """
    config = PlaygroundConfig(history_limit=messages + 10_000, requests_kept=10)
    with tempfile.TemporaryDirectory(prefix="agent-import-") as folder, PlaygroundServer(config) as server:
        say(f"{messages:,} messages are planted")
        channels, planted = _plant(server, messages)
        agent = LoopbackAgent(Path(folder), server, agent_settings(server, channels))
        run = _Run(agent, say)
        try:
            agent.come_online()
            figures = run.import_under_kills(messages, kills) if kills else run.import_beside_questions(messages)
            if meaning:
                figures |= run.wait_for_vectors(messages, is_asking=not kills)
            figures["rss_mb"] = max(run.peak_mb, agent.peak_rss_mb())
        finally:
            agent.stop(0)
        figures |= _count(agent.data, planted)
    return {f"{messages:,} messages": {"kills": kills, **figures}}


class _Run:
    """One agent under measurement."""

    def __init__(self, agent: LoopbackAgent, say: Say) -> None:
        self._agent, self._say = agent, say
        self._now = SystemClock().monotonic
        self._count = 0
        self.peak_mb = 0.0
        """Peak memory of killed lives."""

    def ask(self) -> float:
        """Ask a question; return the milliseconds to the answer."""
        self._count += 1
        began_s = self._now()
        self._agent.ask(f"What about the valve, for the {self._count}th time?", timeout_s=ANSWER_S)
        took_ms = (self._now() - began_s) * 1000
        self._agent.wait(PAUSE_S)
        return took_ms

    def import_under_kills(self, messages: int, kills: int) -> Figures:
        """Import, and kill the agent so many times."""
        chance = random.Random(messages + kills)
        at = sorted(chance.uniform(0.05, 0.9) * messages for _ in range(kills))
        self._verb("import.discord")
        began_s, away_s = self._now(), 0.0
        while (kept_count := self._look(messages, began_s)) is not None:
            if at and kept_count >= at[0]:
                del at[0]
                away_s += self._kill()
            self._agent.wait(LOOK_S)
        return {"words_s": self._now() - began_s, "restarts_s": away_s}

    def import_beside_questions(self, messages: int) -> Figures:
        """Import with pauses, and ask in both: the memory is as large, and the machine as busy, in one as in the other.

        The import is done when all messages are found by words; the time of the pauses is no part of its time.
        """
        beside: list[float] = []
        resting: list[float] = []
        self._verb("import.discord")
        began_s, rested_s = self._now(), 0.0
        while self._look(messages, began_s) is not None:
            beside.append(self.ask())
            if len(beside) % BESIDE == 0 and self._look(messages, began_s) is not None:
                rest_s = self._now()
                self._verb("import.stop")
                self._agent.wait(SETTLES_S)
                resting += [self.ask() for _ in range(RESTING)]
                self._verb("import.discord")
                rested_s += self._now() - rest_s
        took_s = self._now() - began_s - rested_s
        figures = {"words_s": took_s, "words_rate": messages / took_s}
        return figures | _compare(beside, resting or [self.ask() for _ in range(RESTING)])

    def wait_for_vectors(self, messages: int, *, is_asking: bool) -> Figures:
        """Wait until every message is found by meaning, asking meanwhile and afterwards; return the rate."""
        began_s, looked_s, before, pending = self._now(), 0.0, 0, 1
        beside: list[float] = []
        while pending:
            if (now_s := self._now()) - looked_s >= 1:
                looked_s, pending = now_s, int(self._verb("memory.stats")["pending"])
                before = before or pending
                self._say(f"{pending:,} of {messages:,} messages wait for a vector")
            if is_asking:
                beside.append(self.ask())
            else:
                self._agent.wait(LOOK_S)
        took_s = self._now() - began_s
        figures = {"meaning_left": float(before)}
        if not is_asking:
            return figures
        compared = _compare(beside, [self.ask() for _ in range(LAST_QUESTIONS)])
        return (
            figures | {"meaning_rate": before / took_s} | {f"meaning_{name}": each for name, each in compared.items()}
        )

    def _look(self, messages: int, began_s: float) -> int | None:
        """Number of messages kept; None when the import is done."""
        status = self._verb("import.status")
        self._say(f"{status['kept']:,} of {messages:,} messages, {status['per_second']:,.0f} a second")
        if self._now() - began_s > PATIENCE_S + messages / 50:
            raise self._agent.error(f"the import did not end: {status}")
        return None if status["state"] == "done" else int(status["kept"])

    def _kill(self) -> float:
        """Kill a life, and begin the next; return the seconds taken."""
        began_s = self._now()
        self.peak_mb = max(self.peak_mb, self._agent.peak_rss_mb())
        self._agent.kill()
        self._agent.wait_until_gone()
        self._agent.come_online()
        return self._now() - began_s

    def _verb(self, verb: str) -> dict[str, Any]:
        began_s = self._now()
        while True:
            try:
                return ask_operator(self._agent.data, verb, PATIENCE_S, window=WINDOW)
            except (AgentNotRunningError, RefusalError) as error:
                if self._now() - began_s > PATIENCE_S or not self._agent.is_running:
                    raise self._agent.error(f"{verb}: {error}") from None
                self._agent.wait(LOOK_S)


def _plant(server: PlaygroundServer, messages: int) -> tuple[list[int], set[str]]:
    """Messages of the past, in turn in every place; the channels heard by the agent, and the messages' ids."""
    channels = [GENERAL_ID, *(server.create_channel(f"past-{number}") for number in range(CHANNELS - 2))]
    thread = server.create_thread(channels[-1], "an old matter")
    places = [*channels, thread]
    ids: set[str] = set()
    for number in range(messages):
        text = f"{WORDS[number % len(WORDS)]} (note {number})"
        ids.add(str(server.say(places[number % len(places)], text, user=YOU_ID)))
    return channels, ids


def _count(data: Path, planted: set[str]) -> Figures:
    """Planted messages missing from all logs, and planted messages in logs more than once."""
    seen = Counter[str]()
    for path in (data / "logs").glob("*/*/*.md"):
        users = (logged.event for logged in parse(path.read_bytes()).events if logged.event.kind == "user")
        seen.update(str(event.meta_dict().get("message_id")) for event in users)
    return {"lost": len(planted - seen.keys()), "doubled": sum(count > 1 for count in seen.values())}


def agent_settings(server: PlaygroundServer, channels: list[int]) -> str:
    """Settings file of an agent that hears some channels and answers every question."""
    more = f'reactions = false\nstream = "off"\nturns_per_user = {MOST_TURNS}\n[model]\nname = "offline"\n'
    return discord_table(server, channels) + more


def _compare(beside: list[float], resting: list[float]) -> Figures:
    """95th percentiles of answers beside work and without work, in ms, and the ratio."""
    figures = {"beside_p95_ms": _p95(beside), "resting_p95_ms": _p95(resting)}
    return figures | {"p95_ratio": figures["beside_p95_ms"] / figures["resting_p95_ms"]}


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


IMPORT = Benchmark(
    name="import",
    measure=measure,
    targets=(
        Target("messages lost", "lost", 0),
        Target("messages in logs twice", "doubled", 0),
        Target("messages a second, found by words", "words_rate", 833.0, at_least=True, is_speed=True),
        Target("messages a second, found by meaning", "meaning_rate", 93.0, at_least=True, is_speed=True),
        Target("answers beside, times those in pauses", "p95_ratio", 1.2, is_speed=True),
        Target("answers beside vectors, times those after", "meaning_p95_ratio", 1.2, is_speed=True),
        Target("memory, MiB", "rss_mb", 400.0),
    ),
    columns=(
        Column("kills", "kills", ",.0f"),
        Column("lost", "lost", ",.0f"),
        Column("doubled", "doubled", ",.0f"),
        Column("by words, s", "words_s", ".1f"),
        Column("of restarts, s", "restarts_s", ".1f"),
        Column("a second", "words_rate", ",.0f"),
        Column("vectors a second", "meaning_rate", ",.0f"),
        Column("p95 beside, ms", "beside_p95_ms", ".0f"),
        Column("in pauses", "resting_p95_ms", ".0f"),
        Column("ratio", "p95_ratio", ".2f"),
        Column("p95 beside vectors, ms", "meaning_beside_p95_ms", ".0f"),
        Column("after", "meaning_resting_p95_ms", ".0f"),
        Column("ratio", "meaning_p95_ratio", ".2f"),
        Column("MiB at most", "rss_mb", ".0f"),
    ),
    promises=frozenset({"lost", "doubled"}),
    note="With kills, no questions are asked, and rates and answers are not judged.",
)
