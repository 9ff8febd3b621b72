"""Which actors there are, in start order, and how they are made from the settings."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from actors import specs
from actors.context.config import ContextConfig
from actors.context.data_root import DataRoot
from actors.context.recovery import Recovery, survey
from actors.context.spending import spent_on
from actors.kernel import ActorSpec, ActorSystem, DrainReport
from actors.linux.hardening import make_undumpable
from actors.settings.schema import Settings
from actors.shell.workplace import workdir
from actors.socket.status import system_facts
from actors.specs import DISCORD, EMBEDDER, MEMORY, MODEL, SCHEDULER, SHELL, SKILLS, SOCKET
from messages.base import Address, Surface, Window
from messages.context import ResumeWindow
from messages.discord import StopIntake
from messages.kernel import ActorGaveUp

log = logging.getLogger(__name__)

EXIT_FATAL = 1
"""The operator must do something before a restart can help."""
EXIT_ESCALATED = 70
"""A core actor gave up: the service manager should restart the process (sysexits' EX_SOFTWARE)."""

DRAIN_S = 10.0
STOP_S = 5.0
DOOR_LEFT_OPEN_S = 300.0
"""How much longer than the longest command a window's unused socket stays."""


@dataclass(frozen=True, slots=True)
class DiscordConnection:
    """Which Discord the bot goes to, as whom, and whom it hears there."""

    token: str
    api_base: str
    gateway_url: str
    channels: frozenset[str]
    allowed_users: frozenset[str]
    allowed_roles: frozenset[str]
    guilds_settle_s: float = 2.0
    """Silence after the last server's description that ends the bot's start."""


class Agent:
    """The running agent: its actors, and how it comes to an end."""

    def __init__(
        self, settings: Settings, secrets: Mapping[str, str], place: DiscordConnection, on_online: Callable[[str], None]
    ) -> None:
        """An agent at rest.

        Args:
            settings: The operator's decisions.
            secrets: Provider keys by litellm's names.
            place: Which Discord to go to.
            on_online: Called with the bot's name when it is connected and ready; from another thread.
        """
        self._settings = settings
        self._secrets = secrets
        self._place = place
        self._on_online = on_online
        self._root = DataRoot(settings.data_root)
        self._over = threading.Event()
        self.exit_code = 0
        self.reason = ""
        self.system = ActorSystem(on_escalation=self._escalated)

    def start(self, *earlier: ActorSpec) -> None:
        """Hold the data root, start the actors, and pick up what an earlier life left unfinished.

        Args:
            earlier: Actors to start before all others.

        Raises:
            DataRootError: the data root cannot be used.
            UnusableError: an actor cannot be made from the settings.
        """
        self._root.hold()
        make_undumpable()
        recovery = survey(self._root.path)
        for spec in (*earlier, *self._specs(recovery)):
            self.system.register(spec)
        self.system.start()
        for window in recovery.unfinished:
            self.system.tell(window.address, ResumeWindow(window=window, reply_to=DISCORD))
        gc.collect()
        gc.freeze()  # what lives now lives for ever: no collection needs to look at it again

    def wait(self) -> None:
        """Return when the agent is to end: somebody asked for it, or it cannot go on."""
        self._over.wait()

    def end(self, reason: str = "", exit_code: int = 0) -> None:
        """Make `wait` return; safe in any thread and in signal handlers. The first reason counts."""
        if not self._over.is_set():
            self.reason, self.exit_code = reason, exit_code
            self._over.set()

    def stop(self, drain_s: float = DRAIN_S) -> DrainReport:
        """Take no more messages, let turns finish, stop the actors and let go of the data root."""
        self.system.tell(DISCORD, StopIntake())
        report = self.system.drain(drain_s if self.exit_code == 0 else 0)
        self.system.stop(STOP_S)
        self._root.release()
        if not report.quiet and self.exit_code == 0:
            log.warning(
                "%d actors had not finished; their turns are picked up at the next start", len(report.unfinished)
            )
        return report

    def _specs(self, recovery: Recovery) -> tuple[ActorSpec, ...]:
        """Every actor, each after those that it needs from its start on."""
        settings, secrets, root = self._settings, self._secrets, self._root
        remembers = settings.memory.enabled
        scheduler = specs.scheduler_spec(settings, DISCORD, min(self._place.channels, default=""))
        config = specs.context_config(
            settings,
            DISCORD,
            lambda window: str(workdir(root.work, window)),
            contributors=(MEMORY, SKILLS) if remembers else (SKILLS,),
            subscribers=(MEMORY,) if remembers else (),
        )
        memory = (specs.embedder_spec(settings, secrets), specs.memory_spec(settings, secrets)) if remembers else ()
        return (
            specs.model_spec(settings, secrets, lambda: spent_on(root.path, self.system.clock.now())),
            specs.skills_spec(settings),
            specs.web_spec(secrets),
            *memory,
            *((scheduler,) if scheduler else ()),
            self._socket_spec(),
            specs.shell_spec(settings, root.path, root.work),
            specs.context_spec(settings, config, root.path),
            self._discord_spec(recovery),
        )

    def _socket_spec(self) -> ActorSpec:
        from actors.socket.actor import SocketActor

        settings, root = self._settings, self._root.path
        started_at = self.system.clock.now()

        def build(_key: str) -> SocketActor:
            return SocketActor(
                folder=root / "sockets",
                operator_path=root / "agent.sock",
                verbs=specs.window_verbs(settings),
                operator_verbs=specs.operator_verbs(settings),
                describers=self._describers(),
                system_facts=lambda: system_facts(self.system, started_at),
                idle_s=settings.shell.max_timeout_s + DOOR_LEFT_OPEN_S,
            )

        return ActorSpec(SOCKET.kind, build, core=True)

    def _describers(self) -> tuple[Address, ...]:
        """Who has something to tell about itself."""
        memory = (MEMORY, EMBEDDER) if self._settings.memory.enabled else ()
        scheduler = (SCHEDULER,) if self._settings.reminders.file else ()
        return (MODEL, SHELL, *memory, *scheduler, SKILLS, SOCKET)

    def _discord_spec(self, recovery: Recovery) -> ActorSpec:
        from actors.discord.actor import DiscordActor  # discord.py takes half a second to import
        from actors.discord.timing import Timing

        place = self._place
        surveys = [recovery]

        def build(_key: str) -> DiscordActor:
            # What a crashed actor had seen is in the logs; the look at the start is good for the first one only.
            with self.system.dispatcher.blocking:
                last_seen = (surveys.pop() if surveys else survey(self._root.path)).last_seen
            return DiscordActor(
                token=place.token,
                channels=place.channels,
                allowed_users=place.allowed_users,
                allowed_roles=place.allowed_roles,
                api_base=place.api_base,
                gateway_url=place.gateway_url,
                last_seen=last_seen,
                on_fatal=lambda reason: self.end(reason, EXIT_FATAL),
                on_online=self._on_online,
                config=specs.discord_config(self._settings),
                services=specs.services_of(self._settings, self._describers()),
                secrets=tuple(self._secrets.values()),
                workdir_of=lambda window: workdir(self._root.work, window),
                timing=Timing(guild_ready_timeout_s=place.guilds_settle_s),
            )

        return ActorSpec(DISCORD.kind, build, core=True)

    def _escalated(self, event: ActorGaveUp) -> None:
        self.end(f"{event.address} crashed {event.crashes} times within {event.within_s:g} s", EXIT_ESCALATED)


def cli_config(settings: Settings, surface: Address, contributors: tuple[Address, ...]) -> ContextConfig:
    """What the one window of a command-line turn is told; it works in the caller's folder and reports to `surface`."""
    here = str(Path.cwd())
    return specs.context_config(settings, surface, lambda _window: here, contributors, subscribers=(surface,))


def cli_window() -> Window:
    """The window of a command-line turn; it keeps no log."""
    return Window(surface=Surface.CLI, id="turn")


def cli_socket_spec(settings: Settings, *, remembers: bool) -> ActorSpec:
    """The door of a command-line turn, in a folder that goes with it."""
    from actors.socket.actor import SocketActor

    absent = {DISCORD} if remembers else {DISCORD, MEMORY}
    verbs = {name: verb for name, verb in specs.window_verbs(settings).items() if verb.to not in absent}
    return ActorSpec(SOCKET.kind, lambda _key: SocketActor(folder=None, verbs=verbs), core=True)
