"""Which actors there are, in start order, and how they are made from the settings."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.data_root import DataRoot
from actors.context.journal import Journal
from actors.context.recovery import Recovery, survey
from actors.kernel import ActorSpec, ActorSystem, DrainReport
from actors.model.actor import ModelActor
from actors.settings.schema import Settings
from actors.shell.actor import ShellActor
from actors.shell.hardening import make_undumpable
from actors.shell.workplace import workdir
from domain.bash_tool import bash_tool
from messages.base import CONTEXT_KIND, Address, Surface, Window
from messages.context import ResumeWindow
from messages.discord import StopIntake
from messages.kernel import ActorGaveUp

log = logging.getLogger(__name__)

MODEL = Address("model")
SHELL = Address("shell")
DISCORD = Address("discord")

EXIT_FATAL = 1
"""The operator must do something before a restart can help."""
EXIT_ESCALATED = 70
"""A core actor gave up: the service manager should restart the process (sysexits' EX_SOFTWARE)."""

DRAIN_S = 10.0
STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class DiscordPlace:
    """Which Discord the bot goes to, as whom, and whom it hears there."""

    token: str
    api_base: str
    gateway_url: str
    channels: frozenset[str]
    allowed_users: frozenset[str]
    allowed_roles: frozenset[str]
    guilds_settle_s: float = 2.0
    """Silence after the last server's description that ends the bot's start."""


def context_config(
    settings: Settings,
    surface: Address,
    workdir: Callable[[Window], str],
    subscribers: tuple[Address, ...] = (),
) -> ContextConfig:
    """What every window is told, with its answers shown by `surface` and its commands run in `workdir`."""
    return ContextConfig(
        model=MODEL,
        shell=SHELL,
        surface=surface,
        workdir=workdir,
        tool=bash_tool(settings.shell.timeout_s, settings.shell.max_timeout_s),
        subscribers=subscribers,
        prepare_deadline_s=settings.contexts.prepare_deadline_s,
        max_history_tokens=settings.model.max_history_tokens,
        shell_deadline_s=settings.shell.max_timeout_s + 100,
    )


def model_spec(settings: Settings, secrets: Mapping[str, str]) -> ActorSpec:
    """The one actor that calls language models."""

    def build(_key: str) -> ModelActor:
        return ModelActor(
            name=settings.model.name,
            api_base=settings.model.api_base,
            api_keys=secrets,
            concurrency=settings.model.concurrency,
            retries=settings.model.retries,
            idle_timeout_s=settings.model.idle_timeout_s,
        )

    return ActorSpec(MODEL.kind, build, core=True)


def shell_spec(settings: Settings, data_root: Path, work: Path, cli_workdir: Path | None = None) -> ActorSpec:
    """The one actor that starts processes."""

    def build(_key: str) -> ShellActor:
        return ShellActor(
            work_root=work,
            data_root=data_root,
            default_timeout_s=settings.shell.timeout_s,
            max_timeout_s=settings.shell.max_timeout_s,
            commands_at_once=settings.shell.concurrency,
            cli_workdir=cli_workdir,
        )

    return ActorSpec(SHELL.kind, build, core=True)


def context_spec(settings: Settings, config: ContextConfig, data_root: Path) -> ActorSpec:
    """One actor for every window that keeps a log."""

    def build(key: str) -> ContextActor:
        window = Window.from_key(key)
        return ContextActor(window, Journal(data_root, window, config.max_history_tokens), config)

    return ActorSpec(CONTEXT_KIND, build, idle_s=settings.contexts.idle_minutes * 60)


class Agent:
    """The running agent: its actors, and how it comes to an end."""

    def __init__(
        self, settings: Settings, secrets: Mapping[str, str], place: DiscordPlace, on_online: Callable[[str], None]
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
        settings, root = self._settings, self._root
        config = context_config(settings, DISCORD, lambda window: str(workdir(root.work, window)))
        return (
            model_spec(settings, self._secrets),
            shell_spec(settings, root.path, root.work),
            context_spec(settings, config, root.path),
            self._discord_spec(recovery),
        )

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
                timing=Timing(guild_ready_timeout_s=place.guilds_settle_s),
            )

        return ActorSpec(DISCORD.kind, build, core=True)

    def _escalated(self, event: ActorGaveUp) -> None:
        self.end(f"{event.address} crashed {event.crashes} times within {event.within_s:g} s", EXIT_ESCALATED)


def cli_config(settings: Settings, surface: Address) -> ContextConfig:
    """What the one window of a command-line turn is told; it works in the caller's folder and reports to `surface`."""
    here = str(Path.cwd())
    return context_config(settings, surface, lambda _window: here, subscribers=(surface,))


def cli_window() -> Window:
    """The window of a command-line turn; it keeps no log."""
    return Window(surface=Surface.CLI, id="turn")
