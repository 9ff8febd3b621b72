"""Fault campaign: one fault at every tenth network call between Discord and the bot, and what that cost."""

from __future__ import annotations

import queue
import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from actors.discord.timing import Timing
from actors.kernel import SystemClock
from lab.chaos.discord.rig import Rig, answer_to, private_threads
from lab.playground.config import PlaygroundConfig
from lab.playground.gateway.protocol import Gateway
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID
from lab.playground.world.faults import Fault, FaultKind

EVERY = 10
AT_ONCE = 2
"""Messages of each window on their way, so that their order can be lost."""
SILENCE_S = 90.0
SETTLE_S = 1.0
HEARTBEAT_MS = 300
TIMING = Timing(
    call_timeout_s=15.0,
    attempts=8,
    backoff_s=0.05,
    backoff_limit_s=0.5,
    reconnect_backoff_s=0.05,
    reconnect_backoff_limit_s=0.5,
    session_timeout_s=5.0,
    heartbeat_timeout_s=2.0,
    identify_pause_s=0.1,
    guild_ready_timeout_s=0.1,
    edit_every_s=0.1,
)
"""The waits of the bot made short; discord.py's own, of a second and more after a 5xx, stay."""

GatewayFault = Callable[[Gateway], int]
_ANY: re.Pattern[str] = re.compile("")
_CALLS = tuple(kind for kind in FaultKind)


def _reset_and_refuse(gateway: Gateway) -> int:
    gateway.faults.refuse_resumes = 1
    return gateway.reset()


def _reset_and_ignore(gateway: Gateway) -> int:
    gateway.faults.ignore_resumes = 1
    return gateway.reset()


def _reset_and_repeat(gateway: Gateway) -> int:
    gateway.faults.duplicate_after_resume = 1
    return gateway.reset()


_GATEWAY: dict[str, GatewayFault] = {
    "op7": Gateway.request_reconnect,
    "op9-resumable": lambda gateway: gateway.invalidate(True),
    "op9": lambda gateway: gateway.invalidate(False),
    "zombie": Gateway.freeze,
    "reset": Gateway.reset,
    "resume-refused": _reset_and_refuse,
    "resume-ignored": _reset_and_ignore,
    "duplicate": Gateway.repeat,
    "duplicate-after-resume": _reset_and_repeat,
}
KINDS = (*_CALLS, *_GATEWAY)


class Trouble:
    """Schedule of faults, one for every tenth call: each kind in turn, in an order that the seed decides."""

    def __init__(self, seed: str) -> None:
        """No call yet.

        Args:
            seed: The same for the same order; which call it hits depends on the machine's timing.
        """
        self.calls = 0
        self.by_kind: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._next: list[str] = []

    def choose(self, gateway: Gateway, request: str) -> Fault | None:  # noqa: ARG002 - all calls are alike
        """What goes wrong with this call; on the playground's thread."""
        self.calls += 1
        if self.calls % EVERY:
            return None
        if not self._next:
            self._next = [str(kind) for kind in KINDS]
            self._random.shuffle(self._next)
        kind = self._next.pop()
        self.by_kind[kind] += 1
        if kind in _GATEWAY:
            _GATEWAY[kind](gateway)
            return None
        return Fault(FaultKind(kind), _ANY, delay_s=0.3, retry_after_s=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOutcome:
    """Result of a campaign."""

    turns: int
    windows: int
    seed: str
    calls: int
    """REST calls of the bot."""
    faults: int
    by_kind: dict[str, int]
    missed: int
    """Messages that no window was told of, and answers that are not shown."""
    doubled: int
    """Messages that a window was told of again, and answers that are shown again."""
    out_of_order: int
    """Windows that were told something, or show something, before what came earlier."""
    unexpected: int
    """Messages of the bot that are no answers, and answers that Discord refused."""
    crashes: int
    sessions: int
    resumes: int
    seconds: float
    details: tuple[str, ...] = field(default=())
    """The first few of what was wrong."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, doubled, reordered or added."""
        return not (self.missed or self.doubled or self.out_of_order or self.unexpected or self.crashes)


def run(turns: int, windows: int, seed: str, tick: Callable[[int], None] = lambda _n: None) -> CampaignOutcome:
    """Say `turns` messages in `windows` threads at once and count what came of them; `tick` is told each answer.

    Raises:
        queue.Empty: the bot did not come online.
    """
    now, trouble = SystemClock().monotonic, Trouble(seed)
    with PlaygroundServer(PlaygroundConfig(heartbeat_interval_ms=HEARTBEAT_MS)) as server, _rig(server, windows) as rig:
        texts_by_thread: dict[int, list[str]] = {thread_id: [] for thread_id in rig.ids}
        server.choose_faults(trouble.choose)
        began_at = now()
        _converse(server, rig, texts_by_thread, turns, tick)
        seconds = now() - began_at
        server.clear_faults()
        threading.Event().wait(SETTLE_S)
        counters = server.counters()
        judgement = Judgement()
        for thread_id, texts in texts_by_thread.items():
            judgement.judge(texts, rig.books[str(thread_id)].messages, str)
            judgement.judge(texts, _answers(server, thread_id), answer_to)
            judgement.note(rig.books[str(thread_id)].refusals)
        return CampaignOutcome(
            turns=turns,
            windows=windows,
            seed=seed,
            calls=trouble.calls,
            faults=sum(trouble.by_kind.values()),
            by_kind=dict(sorted(trouble.by_kind.items())),
            missed=judgement.missed,
            doubled=judgement.doubled,
            out_of_order=judgement.out_of_order,
            unexpected=judgement.unexpected,
            crashes=len(rig.actors) - 1 + len(rig.fatal),
            sessions=counters.get("identifies", 0),
            resumes=counters.get("resumes", 0),
            seconds=round(seconds, 1),
            details=tuple(judgement.details[:5]),
        )


def _rig(server: PlaygroundServer, windows: int) -> Rig:
    return Rig(server.api_base, server.gateway_url, server.bot_token, private_threads(server, windows), TIMING)


def _converse(
    server: PlaygroundServer, rig: Rig, texts: dict[int, list[str]], turns: int, tick: Callable[[int], None]
) -> None:
    """Say everything, a window's next message when one of its answers is shown; ends when nothing comes any more."""
    left = turns

    def say(thread_id: int) -> None:
        nonlocal left
        if left:
            left -= 1
            texts[thread_id].append(f"message {len(texts[thread_id]) + 1} of {thread_id}")
            server.say(thread_id, texts[thread_id][-1])

    for _ in range(AT_ONCE):
        for thread_id in rig.ids:
            say(thread_id)
    for answered in range(1, turns + 1):
        try:
            thread_id = int(rig.over.get(timeout=SILENCE_S))
        except queue.Empty:
            return
        tick(answered)
        say(thread_id)


def _answers(server: PlaygroundServer, thread_id: int) -> list[str]:
    """What the bot's messages in a thread say, oldest first."""
    messages = server.messages(thread_id, limit=10_000)
    return [str(message["content"]) for message in messages if message["author"]["id"] == str(BOT_ID)]


class Judgement:
    """Counts of what is wrong, window by window."""

    def __init__(self) -> None:
        self.missed = self.doubled = self.out_of_order = self.unexpected = 0
        self.details: list[str] = []

    def judge(self, texts: list[str], arrivals: list[str], expected: Callable[[str], str]) -> None:
        """Compare the `arrivals` with the `texts` that were said, of which `expected` should come."""
        due, counts = [expected(text) for text in texts], Counter(arrivals)
        missed = [text for text in due if not counts[text]]
        doubled = [text for text in due if counts[text] > 1]
        strange = [text for text in counts if text not in set(due)]
        self.missed += len(missed)
        self.doubled += sum(counts[text] - 1 for text in doubled)
        firsts = [text for text in dict.fromkeys(arrivals) if text not in strange]
        self.out_of_order += firsts != [text for text in due if counts[text]]
        self.details += [f"missed: {text}" for text in missed] + [f"doubled: {text}" for text in doubled]
        self.note(strange)

    def note(self, strange: list[str]) -> None:
        """Take in what should not be there at all."""
        self.unexpected += len(strange)
        self.details += [f"unexpected: {text[:200]}" for text in strange]
