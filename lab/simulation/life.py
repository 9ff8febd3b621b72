"""One process of the agent: the parts named by the settings, with doubles for the outside world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from actors.cluster.fence import FencedDisk
from actors.cluster.head import Head
from actors.cluster.host_life import HostLife
from actors.cluster.pool import RemoteHost
from actors.context.log.recovery import survey
from actors.context.log.reserve import ReservedDisk
from actors.context.part import row as context
from actors.discord.part import row as discord
from actors.facts.embedding import embedder_row
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.memory.actor import MemoryActor
from actors.memory.derived.owner import DatabaseActor
from actors.memory.part import row as memory
from actors.part import DiscordConnection, Parts, Plan, Row
from actors.parts import LAYERS, settings_tables
from actors.scheduler.part import row as scheduler
from actors.settings.layers import with_tables
from actors.settings.schema import Settings
from domain.memory.space import Provider, Space
from lab.simulation.chance import Chance, DrawnQueue, Killed
from lab.simulation.chat import GATEWAY_PORT, KEY, ChatClient, serve_model
from lab.simulation.disk import SimulatedDisk
from lab.simulation.doubles import EmbedderDouble, ModelDouble, Outside, ShellDouble
from lab.simulation.hosts import COUNT as HOSTS
from lab.simulation.hosts import LapsedError, SimulatedHost, SimulatedHosts
from lab.simulation.loop import SteppedLoopThread
from lab.simulation.wire import Wire
from messages.base import CONTEXT_KIND, Address, Message
from messages.context import ResumeWindow
from messages.discord import DISCORD, StopIntake
from messages.embedder import EMBEDDER, FACTS_EMBEDDER
from messages.model import MODEL
from messages.shell import SHELL
from messages.status import ActorGaveUp

SPACE = Space(Provider.HASHED, "simulated", 64)
SECRETS = MappingProxyType({"SIMULATED_API_KEY": KEY})


def rows(settings: Settings) -> tuple[Row, ...]:
    """Rows of the real parts, in the order of the agent's table."""
    layers = (row for layer in LAYERS if settings.has_layer(layer.name) for row in layer.rows)
    return (memory, *(row for row in layers if row is not embedder_row), scheduler, context, discord)


class InjectedCrash(Exception):  # noqa: N818  # a defect that the schedule asked for
    """An actor fails because the schedule says so."""


ENDS = (InjectedCrash.__name__, Killed.__name__, LapsedError.__name__)
"""Errors by which the schedule ends an actor or a process, even in an actor's start."""


class Life:
    """A process, from start to end."""

    def __init__(
        self,
        settings: Settings,
        channels: tuple[int, ...],
        at: datetime,
        outside: Outside,
        ids: Callable[[], str],
        report: Callable[[str], None],
        on_online: Callable[[], None],
        disk: SimulatedDisk | None = None,
    ) -> None:
        """Begin as a process at rest.

        Args:
            settings: The operator's decisions; the data root exists.
            channels: Home channels of the agent.
            at: Time of the process's clock.
            outside: Memory of the doubles.
            ids: Gives ids.
            report: Told of impossible events.
            on_online: Called whenever the agent came online.
            disk: Disk of the windows' hosts; None for windows in this process.
        """
        self._outside, self._chance = outside, outside.chance
        self._wire: Wire | None = None
        self._report = report
        self._on_online = on_online
        self.clock = ManualClock(at)
        self.ready = DrawnQueue(outside.chance)
        self.loops: list[SteppedLoopThread] = []
        self.crash_next = ""
        """Kind of actor that fails at its next message."""
        self.injected = 0
        self.has_ended = False
        self.system = ActorSystem(
            workers=0,
            clock=self.clock,
            ids=ids,
            on_escalation=self._note_escalation,
            on_dead_letter=lambda letter: self._note_lost(letter.address, letter.message, letter.reason),
        )
        self.system.order_by(self.ready)
        self._root = settings.data_root
        for spec in _doubles(outside, settings):
            self.system.register(spec)
        self._settings, self._plan = settings, self._make_plan(settings, channels)
        self.hosts: SimulatedHosts | None = None
        self._head: Head | None = None
        if disk is not None:
            self.hosts = SimulatedHosts(self.clock, outside.chance, ids, disk, self._specs_of)
            on_fatal = self._plan.on_fatal or report
            self._head = Head(self.system, self.hosts, HOSTS, surface=DISCORD, on_fatal=on_fatal)
            self._plan = replace(self._plan, hosts=self._head)
        self._specs = Parts(self._plan, rows(settings)).specs()

    def _make_plan(self, settings: Settings, channels: tuple[int, ...]) -> Plan:
        """Plan of the parts, like `actors.bootstrap.agent_plan`."""
        return Plan(
            settings=settings,
            secrets=SECRETS,
            system=self.system,
            work=self._root / "work",
            workdir_of=lambda window: self._root / "work" / window.id,
            visible_skills=lambda folders: folders,
            space=lambda: SPACE,
            is_held=lambda: True,
            last_seen=lambda: survey(self._root).last_seen,
            on_online=lambda _name: self._on_online(),
            on_fatal=lambda why: self._report(f"fatal: {why}"),
            connection=DiscordConnection(
                token="simulated",
                api_base="",
                gateway_url="",
                channels=tuple(map(str, channels)),
                allowed_users=frozenset({"*"}),
                allowed_roles=frozenset(),
            ),
        )

    def make_loop(self, name: str, owner: Actor | None = None) -> SteppedLoopThread:
        """The loop of a part of the agent, without a thread."""
        loop = SteppedLoopThread(self.clock, self._report, owner)
        self.loops.append(loop)
        if name == "gateway":
            self._wire = loop.stepped.wire = Wire(loop.stepped, self._chance)
            serve_model(self._wire, self._outside, loop.stepped)
        return loop

    def drive(self, life: HostLife, act: Callable[[RemoteHost], None]) -> None:
        """Drive a host without a thread."""
        assert self.hosts is not None
        self.hosts.drive(life, act)

    def ask_gateway(self, number: int, conversation: str, on_answer: Callable[[int], None], *, streams: bool) -> bool:
        """Have a client ask a question; False if no gateway listens."""
        if self._wire is None or GATEWAY_PORT not in self._wire.servers:
            return False
        self._wire.connect(lambda: ChatClient(number, conversation, on_answer, streams=streams), GATEWAY_PORT)
        return True

    def start(self) -> None:
        """Begin as `actors.bootstrap.Agent` does."""
        if self._head is not None:
            self._head.start()
        recovery = survey(self._root)
        for spec in self._specs:
            if self._head is None or spec.kind != CONTEXT_KIND:
                self.system.register(self._fragile(spec))
        self.system.start()
        for window in recovery.unfinished:
            self.system.tell(window.address, ResumeWindow(window=window, reply_to=DISCORD))

    def step(self) -> bool:
        """Run one mailbox, or one handle of a loop; True if there was one."""
        loops = [loop.stepped for loop in self.loops if loop.stepped.is_ready]
        mailboxes = len(self.ready)
        others = self.hosts.ready() if self.hosts is not None else []
        if not loops and not mailboxes and not others:
            return False
        if others and (not (loops or mailboxes) or self._chance.happens(0.5)):
            others[self._chance.below(len(others))]()
            return True
        if loops and (not mailboxes or self._chance.below(mailboxes + 2) < 2):
            loops[self._chance.below(len(loops)) if len(loops) > 1 else 0].step()
        else:
            self.system.dispatcher.run_ready()
        return True

    def crashes(self) -> Iterator[str]:
        """Actors that failed without an order of the schedule, and the reasons."""
        systems = (self.system, *(host.system for host in self.hosts.hosts)) if self.hosts else (self.system,)
        for crash in (crash for system in systems for crash in system.supervisor.last_crashes()):
            if not crash.error.startswith(ENDS):
                yield f"{crash.address} crashed in {crash.phase}: {crash.error}"

    def actors(self) -> Iterator[object]:
        """Running actors."""
        systems = (self.system, *(host.system for host in self.hosts.living())) if self.hosts else (self.system,)
        return (mailbox.actor for system in systems for mailbox in system.mailboxes())

    @property
    def lost_hosts(self) -> int:
        """Number of lost hosts."""
        return self._head.lost if self._head is not None else 0

    def stop(self) -> None:
        """End in good order, as at SIGTERM, without waiting for turns."""
        self.system.tell(DISCORD, StopIntake())
        self.system.run()
        self.system.stop()
        if self._head is not None:
            self._head.stop()
        self._let_go()

    def kill(self) -> None:
        """End the process; open files are closed as by an operating system."""
        for mailbox in self.system.mailboxes():
            if isinstance(actor := mailbox.actor, (MemoryActor, DatabaseActor)):
                with suppress(Killed):
                    actor.on_stop()
        self._let_go()

    def _let_go(self) -> None:
        self.has_ended = True
        self.clock.close()
        for loop in self.loops:
            loop.stepped.abandon()

    def _specs_of(self, host: SimulatedHost) -> Iterator[ActorSpec]:
        """Actors of a host, as made by `actors.hosting`."""
        disk = FencedDisk(ReservedDisk(self._root), host.lease, host.lapse)
        plan = replace(self._plan, system=host.system, host=host.name, shares=HOSTS, log_disk=disk, hosts=None)
        yield from _doubles(self._outside, None)
        for spec in Parts(plan, rows(self._settings)).specs():
            if spec.kind == CONTEXT_KIND:
                yield self._fragile(spec)

    def _fragile(self, spec: ActorSpec) -> ActorSpec:
        """The same, failing when the schedule says so."""

        def build(key: str) -> Actor:
            actor = spec.build(key)
            handle: Callable[[Any], None] = actor.handle

            def handle_or_fail(message: Message) -> None:
                if self.crash_next == spec.kind:
                    self.crash_next = ""
                    self.injected += 1
                    raise InjectedCrash
                handle(message)

            tell: Callable[[Address, Message], None] = actor.tell

            def tell_and_note(to: Address, message: Message) -> None:
                self._outside.note_nonce(message)
                tell(to, message)

            actor.handle = handle_or_fail  # type: ignore[method-assign]
            if spec.kind == CONTEXT_KIND:
                actor.tell = tell_and_note  # type: ignore[method-assign]
            return actor

        return replace(spec, build=build)

    def _note_escalation(self, event: ActorGaveUp) -> None:
        self._report(f"{event.address} gave up: the process would end")

    def _note_lost(self, address: Address, message: object, reason: str) -> None:
        if not self.has_ended and not self.system.closing:
            self._report(f"dead letter to {address}: {type(message).__name__}: {reason}")


def draw_settings(chance: Chance, data_root: Path, channels: tuple[int, ...], layers: tuple[str, ...]) -> Settings:
    """The operator's decisions, partly drawn.

    Args:
        chance: Draws.
        data_root: Folder of the agent.
        channels: Home channels.
        layers: Names of the enabled layers.
    """
    settings = with_tables(settings_tables()).model_validate(
        {
            "discord": {
                "channels": [str(channel) for channel in channels],
                "allowed_users": ["*"],
                "dms": chance.happens(0.5),
                "stream": chance.one_of(("edits", "off")),
                "reactions": chance.happens(0.3),
            },
            "model": {"name": "simulated"},
            "contexts": {
                "mid_turn": chance.one_of(("followup", "steer")),
                "idle_minutes": chance.one_of((2.0, 60.0)),
            },
            "memory": {"enabled": chance.happens(0.25)},
            "reminders": {"catchup_hours": chance.one_of((0.0, 2.0))},
            "web": {"read": "off"},
            "layers": {name: True for name in layers if name != "hosts"},
            "curated": {"global_folder": str(data_root / "curated-global"), "capture": True},
            "objects": {"keep_results": 1, "keep_turns": 1, "active_tokens": 500, "linger_tokens": 0},
            "workspace": {"recall": True, "session": True, "llm": True, "compaction": "objects" not in layers},
            "facts": {
                "openai_base_url": "http://127.0.0.1:8200/v1",
                "embedding_model": "simulated",
                "keys": {"": next(iter(SECRETS))},
                "turns_a_call": 2,
                "ingest_discord": True,
            },
        }
    )
    return settings.with_root(data_root, settings.origin)


def _doubles(outside: Outside, settings: Settings | None) -> Iterator[ActorSpec]:
    """Doubles for the world outside of the agent; without settings the doubles of a host."""
    yield ActorSpec(MODEL.kind, lambda _key: ModelDouble(outside), core=True)
    yield ActorSpec(SHELL.kind, lambda _key: ShellDouble(outside), core=True)
    if settings is None:
        return
    if settings.has_layer("facts"):
        yield ActorSpec(FACTS_EMBEDDER.kind, lambda _key: EmbedderDouble(outside, SPACE.name, SPACE.dimensions))
    if settings.memory.enabled:
        yield ActorSpec(EMBEDDER.kind, lambda _key: EmbedderDouble(outside, SPACE.name, SPACE.dimensions), core=True)
