"""Campaign: one crash of each kind of actor at each type of message, each followed by a person's question."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from actors.bootstrap import Agent
from lab.bench.crashes.bystander import Bystander, Phase
from lab.bench.crashes.saboteur import Saboteur, Strike
from lab.bench.crashes.sample import sample
from lab.bench.measure import percentile
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import CONTEXT_KIND, Address, Message

ANSWER_S = 60.0
RESTART_S = 30.0
COMES_S = 10.0
"""For a message to come by itself."""
MOST_RATIO = 2.0
PROBES = 500
"""Answers of others that a p99 needs at least, both with and without crashes; for these a kind is crashed again."""
MOST_ROUNDS = 5
MOST_RESTART_S = 1.0
QUESTION = "run: echo {number}"
CORE = ("model", "web", "embedder", "memory", "scheduler", "skills", "socket", "shell")
"""Kinds of actors asked for their state; Discord does not describe itself."""
BORDER_S = 0.05


@dataclass(frozen=True, slots=True)
class Case:
    """A crash and its consequences."""

    kind: str
    message_type: str
    made_up: bool
    """The message did not come by itself."""
    has_crashed: bool
    restart_s: float | None
    """From the exception to the message in the hand of the next life; None if that never came."""
    is_answered: bool
    """True if the question asked meanwhile got an answer or a notice."""


@dataclass(frozen=True, slots=True)
class Felt:
    """Effect on all other actors of the crashes of one kind."""

    quiet_p99_ms: float
    """Their answers during the same work without a crash."""
    beside_p99_ms: float
    probes: int
    """Answers with crashes."""

    @property
    def ratio(self) -> float:
        """Ratio of others' p99 during crashes of that kind to their quiet p99."""
        return self.beside_p99_ms / self.quiet_p99_ms


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a campaign."""

    cases: tuple[Case, ...]
    left_out: tuple[str, ...]
    """Message types without a possible sample, and kinds whose understood messages are unknown."""
    felt: dict[str, Felt]
    """Kind that crashed -> effect on other actors."""
    escalation: str = ""
    """Why the agent gave up; empty if it did not."""

    @property
    def ratio(self) -> float:
        """Of the kind of actor whose crashes are felt most."""
        return max((each.ratio for each in self.felt.values()), default=0.0)

    @property
    def longest_restart_s(self) -> float:
        """Of all cases."""
        return max((case.restart_s for case in self.cases if case.restart_s is not None), default=0.0)

    @property
    def failed(self) -> tuple[Case, ...]:
        """Cases without a crash, a restart or an answer."""
        return tuple(
            case for case in self.cases if not (case.has_crashed and case.restart_s is not None and case.is_answered)
        )

    @property
    def is_sound(self) -> bool:
        """True if each actor was restarted and answered, in time, and others did not feel the crashes."""
        return (
            bool(self.cases)
            and not self.failed
            and not self.left_out
            and {case.kind for case in self.cases} <= self.felt.keys()
            and not self.escalation
            and self.longest_restart_s <= MOST_RESTART_S
            and self.ratio <= MOST_RATIO
        )


def run(
    agent: Agent,
    server: PlaygroundServer,
    online: threading.Event,
    say: Callable[[str], None],
    only: Iterable[str] = (),
) -> Outcome:
    """Start `agent`, crash each actor, stop `agent`.

    Args:
        agent: At rest; with the offline model, on `server`, in whose #general all people are heard.
        server: A running playground.
        online: Set when the agent's bot came online.
        say: Called with the current step.
        only: Kinds of actors to crash; all by default.

    Raises:
        RuntimeError: the agent does not come online, or does not answer while nothing crashes.
    """
    saboteur = Saboteur()
    register = agent.system.register
    agent.system.register = lambda spec: register(saboteur.spoilt(spec))  # type: ignore[method-assign]
    agent.start()
    try:
        if not online.wait(ANSWER_S):
            raise RuntimeError(f"the bot did not come online: {agent.reason}")
        return _Campaign(agent, server, saboteur, say).run(tuple(only))
    finally:
        agent.stop()


class _Campaign:
    def __init__(self, agent: Agent, server: PlaygroundServer, saboteur: Saboteur, say: Callable[[str], None]) -> None:
        self._agent = agent
        self._server = server
        self._saboteur = saboteur
        self._say = say
        self._numbers = itertools.count(1)
        self._bystander = Bystander(agent.system, CORE)
        self._left_out: list[str] = []

    def run(self, only: tuple[str, ...]) -> Outcome:
        for _ in range(3):
            if not self._asks():
                raise RuntimeError("the agent does not answer while nothing crashes")
        self._saboteur.look_at_unbuilt()
        kinds = [kind for kind in sorted(self._saboteur.understood) if not only or kind in only]
        self._left_out += [
            f"{kind}: what it understands is not known" for kind in kinds if not self._saboteur.understood[kind]
        ]
        self._bystander.start()
        cases: list[Case] = []
        for kind in kinds:
            for number in range(1, MOST_ROUNDS + 1):
                cases += self._round(kind, number)
                if self._has_enough(kind) or self._agent.exit_code:
                    break
            if self._agent.exit_code:
                break
        self._bystander.stop()
        return Outcome(
            cases=tuple(cases),
            left_out=tuple(self._left_out),
            felt={kind: felt for kind in kinds if (felt := self._felt(kind))},
            escalation=self._agent.reason if self._agent.exit_code else "",
        )

    def _round(self, kind: str, number: int) -> Iterator[Case]:
        """Crash the actor once at each type it understands, each time after the same work without a crash."""
        strikes = list(self._strikes(kind, is_first=number == 1))
        for at, strike in enumerate(strikes, 1):
            self._say(f"{kind} at {strike.message_type.__name__} ({at} of {len(strikes)}, round {number})")
            self._bystander.phase = Phase(kind, is_crashing=False)
            self._asks()
            self._bystander.phase = Phase(kind, is_crashing=True)
            yield self._crash(strike)
            self._bystander.phase = None
            threading.Event().wait(BORDER_S)
            if self._agent.exit_code:
                return

    def _strikes(self, kind: str, *, is_first: bool) -> Iterator[Strike]:
        """A crash at each type that `kind` understands; what has not come by itself is made up."""
        for message_type in sorted(self._saboteur.understood[kind], key=lambda each: each.__name__):
            if message_type in self._saboteur.came[kind]:
                yield Strike(kind, message_type)
                continue
            try:
                yield Strike(kind, message_type, made_up=sample(message_type))
            except TypeError as error:
                if is_first:
                    self._left_out.append(f"{kind} {message_type.__name__}: {error}")

    def _times(self, kind: str) -> tuple[list[float], list[float]]:
        """Seconds to the answers of all but `kind`, without crashes and with."""
        took_s = self._bystander.took_s
        return took_s.get(Phase(kind, is_crashing=False), []), took_s.get(Phase(kind, is_crashing=True), [])

    def _has_enough(self, kind: str) -> bool:
        return all(len(times) >= PROBES for times in self._times(kind))

    def _felt(self, kind: str) -> Felt | None:
        """None without a question, for want of a crash."""
        quiet_s, beside_s = self._times(kind)
        if not quiet_s or not beside_s:
            return None
        return Felt(1000 * percentile(quiet_s, 0.99), 1000 * percentile(beside_s, 0.99), len(beside_s))

    def _crash(self, strike: Strike) -> Case:
        self._saboteur.plan(strike)
        if strike.made_up is not None:
            self._agent.system.tell(self._victim(strike.kind), strike.made_up)
        is_answered = self._asks()
        if strike.struck is None:  # nothing of that sort came with the question
            strike.made_up = sample(strike.message_type)
            self._agent.system.tell(self._victim(strike.kind), strike.made_up)
            is_answered = is_answered and self._asks()
        has_restarted = strike.restarted.wait(RESTART_S)
        self._saboteur.plan(None)
        return Case(
            kind=strike.kind,
            message_type=strike.message_type.__name__,
            made_up=strike.made_up is not None,
            has_crashed=strike.struck is not None,
            restart_s=strike.restarted_at - strike.crashed_at if has_restarted else None,
            is_answered=is_answered,
        )

    def _victim(self, kind: str) -> Address:
        """The window that is talked in, or the one actor of that kind."""
        if kind == CONTEXT_KIND:
            return Address(kind, f"discord-channel/{GENERAL_ID}")
        came: dict[type[Message], Address] = self._saboteur.came[kind]
        return next(iter(came.values()), Address(kind))

    def _asks(self) -> bool:
        """True if a question gets an answer or a notice in time."""
        said = self._server.say(GENERAL_ID, QUESTION.format(number=next(self._numbers)))
        try:
            self._server.wait_for_reply(GENERAL_ID, after=said, timeout_s=ANSWER_S)
        except TimeoutError:
            return False
        return True
