"""Agent: start, drain and stop of the parts; and the plans from which parts are made."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import queue
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from actors.cluster.pool import Pool, PoolError
from actors.context.log.data_root import DataRoot
from actors.context.log.recovery import CalledOffError, Recovery, survey
from actors.embedder.local import is_installed
from actors.kernel import ActorSpec, ActorSystem, DrainReport
from actors.ledger.file import FOLDER, spent_on
from actors.linux.hardening import make_undumpable
from actors.linux.heap import bound_heaps, trim_heaps
from actors.memory.checks import has_index
from actors.part import DiscordConnection, Layer, Plan
from actors.parts import LAYERS, gateway_parts, parts
from actors.settings.schema import Settings
from actors.settings.secret import secrets_path
from actors.settings.trust import TrustError, trust_path
from actors.shell.workplace import workdir
from actors.skill_files.folders import skill_roots, visible_folders
from domain.memory.space import GOOGLE_KEY, Space, embedding_space
from messages.base import CONTEXT_KIND, Address
from messages.context import ResumeWindow
from messages.discord import DISCORD, StopIntake
from messages.status import ActorGaveUp

if TYPE_CHECKING:
    from actors.cluster.head import Head

log = logging.getLogger(__name__)

EXIT_FATAL = 1
"""The operator must act before a restart can help."""
EXIT_ESCALATED = 70
"""A core actor gave up: the service manager should restart the process (sysexits' EX_SOFTWARE)."""

DRAIN_S = 7.0
"""Seconds for running turns to finish; the next start picks up the remaining turns."""
STOP_S = 1.5
"""Both together, and the rest of an end, take less than the ten seconds that service managers give at least."""


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Upkeep of the process while the agent lives."""

    look_s: float = 0.25
    """Seconds between looks for a signal that has woken no thread."""
    looks_per_trim: int = 80
    """Looks between two releases of free heap memory to the system: 20 s."""
    freeze: Callable[[], object] = gc.freeze
    """Excludes all living objects from garbage collection."""
    trim: Callable[[], object] = trim_heaps
    """Gives free memory back to the system."""


UPKEEP = Upkeep()


@dataclass(frozen=True, slots=True)
class Hosting:
    """Wish for hosts: the number, and the place where they start."""

    pool: Pool
    count: int


class Agent:
    """The running agent: actors, start and shutdown."""

    def __init__(
        self,
        settings: Settings,
        secrets: Mapping[str, str],
        connection: DiscordConnection | None,
        on_online: Callable[[str], None],
        layers: Iterable[Layer] = LAYERS,
        hosts: Hosting | None = None,
    ) -> None:
        """An agent at rest.

        Args:
            settings: The operator's decisions.
            secrets: Provider keys by litellm's names.
            connection: Discord to connect to; None for a gateway alone.
            on_online: Called from another thread with the bot's name when the bot is connected and ready.
            layers: Kinds of memory; the enabled kinds take part.
            hosts: Processes for the windows; None for this process.
        """
        self._root = DataRoot(settings.data_root)
        self._recovery: Recovery | None = None
        self._over: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Has an entry once the agent is to end. Unlike a lock, `put` may interrupt `get` in the same thread."""
        self._ending: dict[str, tuple[str, int]] = {}
        self._has_actors = False
        self.exit_code = 0
        self.reason = ""
        self.system = ActorSystem(on_escalation=self._end_escalated)
        self._head = None if hosts is None else self._head_of(hosts)
        plan = replace(
            agent_plan(settings, secrets, self.system, connection),
            hosts=self._head,
            last_seen=self._last_seen,
            on_online=on_online,
            on_fatal=lambda reason: self.end(reason, EXIT_FATAL),
        )
        self._has_discord = connection is not None
        self._parts = parts(plan, layers) if self._has_discord else gateway_parts(plan)

    def start(self, *earlier: ActorSpec, prepare: Callable[[], None] = lambda: None) -> None:
        """Hold the data root, start the actors, and pick up what an earlier life left unfinished.

        An end asked for meanwhile takes effect at once: actors that have not been started then never are.

        Args:
            earlier: Actors to start before all others.
            prepare: Called once the settings are known to be usable, before the data root is held.

        Raises:
            DataRootError: the data root cannot be used.
            UnusableError: an actor cannot be made from the settings.
            PoolError: there is nowhere to start hosts.
        """
        specs = self._parts.specs()
        prepare()
        self._root.hold()
        bound_heaps()
        make_undumpable()
        if self._head is not None:
            self._start_hosts(self._head)
        recovery: Recovery | None = None
        if self._has_discord:
            try:
                recovery = self._recovery = survey(self._root.path, self._is_ending, keeps_ends=True)
            except CalledOffError:
                return
        for spec in (*earlier, *specs):
            if self._head is None or spec.kind != CONTEXT_KIND:
                self.system.register(spec)
        self._has_actors = True
        self.system.start(self._is_ending)
        if self._is_ending():
            return
        for window in recovery.unfinished if recovery is not None else ():
            self.system.tell(window.address, ResumeWindow(window=window, reply_to=DISCORD))

    def wait(self, upkeep: Upkeep = UPKEEP) -> None:
        """Return when the agent is to end, by request or because work cannot go on.

        From now on the process is the agent's: living objects are assumed to live for ever, and garbage collection
        skips them.

        A signal handed to another thread, or arriving just before a wait begins, wakes no thread: the handler runs when
        the main thread next looks.
        """
        if not self._is_ending():
            gc.collect()
            upkeep.freeze()
        for look in itertools.count(1):
            with suppress(queue.Empty):
                self._over.get(timeout=upkeep.look_s)
                self._over.put(None)
                return
            if not look % upkeep.looks_per_trim:
                upkeep.trim()

    def end(self, reason: str = "", exit_code: int = 0) -> None:
        """Make `wait` return; safe in any thread and in signal handlers. The first reason counts."""
        if self._ending.setdefault("first", ending := (reason, exit_code)) is ending:
            self.reason, self.exit_code = ending
        self._over.put(None)

    def stop(self, drain_s: float = DRAIN_S) -> DrainReport:
        """Take no more messages, let turns finish, stop the actors and let go of the data root."""
        if self._has_actors and self._has_discord:
            self.system.tell(DISCORD, StopIntake())
        report = self.system.drain(drain_s if self.exit_code == 0 else 0)
        self.system.stop(STOP_S)
        if self._head is not None:
            self._head.stop()
        self._root.release()
        if not report.quiet and self.exit_code == 0:
            log.warning(
                "%d actors had not finished; their turns are picked up at the next start", len(report.unfinished)
            )
        return report

    def _head_of(self, hosts: Hosting) -> Head:
        from actors.cluster.head import Head

        return Head(
            self.system,
            hosts.pool,
            hosts.count,
            surface=DISCORD,
            on_fatal=lambda reason: self.end(reason, EXIT_ESCALATED),
        )

    def _start_hosts(self, head: Head) -> None:
        try:
            head.start()
        except PoolError:
            self._root.release()
            raise

    def _is_ending(self) -> bool:
        return bool(self._ending)

    def _last_seen(self) -> Mapping[str, str]:
        """Newest messages seen, by the logs; the look at the start is good for the first Discord actor only."""
        recovery, self._recovery = self._recovery, None
        return (recovery or survey(self._root.path)).last_seen

    def _end_escalated(self, event: ActorGaveUp) -> None:
        self.end(f"{event.address} crashed {event.crashes} times within {event.within_s:g} s", EXIT_ESCALATED)


def discord_connection(settings: Settings, token: str) -> DiscordConnection:
    """Connection to Discord by the settings: address, token, and the people who are heard.

    Args:
        settings: The operator's decisions.
        token: Token of the bot; the bot cannot be started with an empty token.
    """
    discord = settings.discord
    return DiscordConnection(
        token=token,
        api_base=discord.api_base,
        gateway_url=discord.gateway_url,
        files_base=discord.files_base,
        channels=discord.channels,
        allowed_users=frozenset(discord.allowed_users),
        allowed_roles=frozenset(discord.allowed_roles),
    )


def agent_plan(
    settings: Settings, secrets: Mapping[str, str], system: ActorSystem, connection: DiscordConnection | None
) -> Plan:
    """Plan of the parts of a living agent; no caller is told when the agent comes online.

    Args:
        settings: The operator's decisions.
        secrets: Provider keys by litellm's names.
        system: In which the parts will live.
        connection: Discord to go to, or None.
    """
    root = DataRoot(settings.data_root)
    return Plan(
        settings=settings,
        secrets=secrets,
        system=system,
        work=root.work,
        workdir_of=lambda window: workdir(root.work, window),
        visible_skills=lambda shipped: _visible_skills(settings, shipped),
        connection=connection,
        space=lambda: _space(settings, secrets),
        is_held=root.is_held,
        spent_today=lambda: spent_on(root.path / FOLDER, system.clock.now()),
        last_seen=lambda: survey(root.path).last_seen,
        private=private_paths(settings),
    )


def turn_plan(
    settings: Settings,
    secrets: Mapping[str, str],
    system: ActorSystem,
    surface: Address,
    scratch: Path,
    *,
    lets_write: bool = False,
) -> Plan:
    """Plan of the read-only parts for a command line's single turn; the turn leaves no data.

    Args:
        settings: The operator's decisions; without an index, or with another person's index, memory counts as switched
            off.
        secrets: Provider keys by litellm's names.
        system: Actor system for the parts.
        surface: Shows the answer, and hears about the end of the turn.
        scratch: Temporary folder of the turn.
        lets_write: True if commands may change the caller's folder.
    """
    trusts_data = settings.origin.trusts_data
    if not (trusts_data and has_index(settings.data_root)):
        settings = settings.model_copy(update={"memory": settings.memory.model_copy(update={"enabled": False})})
    here = Path.cwd()
    return replace(
        agent_plan(settings, secrets, system, None),
        work=scratch,
        workdir_of=lambda _window: here,
        surface=surface,
        visible_skills=lambda shipped: _visible_skills(settings, shipped, trusts_data=trusts_data),
        trusts_data=trusts_data,
        caller_folder=here,
        caller_lets_write=lets_write,
        unchanging=unchanging_paths(settings),
        spent_today=None,
        last_seen=dict,
    )


def private_paths(settings: Settings) -> tuple[Path, ...]:
    """Paths to hide from all commands; a command that could write the list of trusted files would be obeyed."""
    secrets = secrets_path(os.environ, settings.origin.folder)
    private = [settings.data_root, *(() if secrets is None else (secrets,))]
    with suppress(TrustError):  # without a home folder there is no such list
        private.append(trust_path(os.environ).parent)
    return tuple(private)


def unchanging_paths(settings: Settings) -> tuple[Path, ...]:
    """Paths that no command of the command line may change: settings, and the files of the running program."""
    program = Path(__file__).resolve().parents[1]
    file = settings.origin.file
    return (program, Path(sys.prefix), Path(sys.base_prefix), *(() if file is None else (file,)))


def _space(settings: Settings, secrets: Mapping[str, str]) -> Space:
    embedder = settings.embedder
    return embedding_space(
        embedder.provider,
        embedder.model,
        embedder.dimensions,
        has_google_key=GOOGLE_KEY in secrets,
        has_local_extra=is_installed(),
    )


def _visible_skills(settings: Settings, shipped: tuple[Path, ...], *, trusts_data: bool = True) -> tuple[Path, ...]:
    return visible_folders(skill_roots(shipped, settings.data_root, settings.skills.folders, trusts_data=trusts_data))
