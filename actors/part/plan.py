"""Plan: the input of all parts, for a living agent or for a single turn of a command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.kernel import ActorSystem
from actors.linux.disk import Disk
from actors.part.hosts import Hosts
from actors.settings.schema import Settings
from domain.memory.space import Space
from domain.policy.approval import Approve, needs_approval
from messages.base import Address, Window
from messages.discord import DISCORD


@dataclass(frozen=True, slots=True)
class DiscordConnection:
    """Connection to Discord: the bot's account, and the users heard there."""

    token: str = field(repr=False)
    """Bot token; empty for a bot that cannot be started."""
    api_base: str
    gateway_url: str
    channels: tuple[str, ...]
    """Ids of channels; reminders without a channel are posted in the first."""
    allowed_users: frozenset[str]
    allowed_roles: frozenset[str]
    guilds_settle_s: float = 2.0
    """Seconds of silence after the last server's description that end the bot's start."""
    files_base: str = ""
    """Base address of attached files; empty for Discord's own places, or for the place of `api_base`."""
    first_id: int = 0
    """Id before which Discord has no messages to the bot: older messages were posted elsewhere, not deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Input of the parts."""

    settings: Settings
    secrets: Mapping[str, str] = field(repr=False, default_factory=dict)
    """Provider keys by litellm's names."""
    system: ActorSystem
    """Actor system for the parts."""
    work: Path
    """Root of the windows' working directories."""
    workdir_of: Callable[[Window], Path]
    """A window's working directory."""
    visible_skills: Callable[[tuple[Path, ...]], tuple[Path, ...]]
    """Folders that a sandbox must show to make every skill readable there, given the folders of the parts."""
    trusts_data: bool = True
    """False if skills, memory and logs in the data root may be another person's; the model then sees no such data."""
    embeds: bool = False
    """True if a layer asks the embedder."""
    surface: Address = DISCORD
    """Address of the actor that shows content to people."""
    caller_folder: Path | None = None
    """Caller's folder, for the single unrecorded turn of a command line. None for a living agent."""
    caller_lets_write: bool = False
    """True if commands may change the caller's folder."""
    private: tuple[Path, ...] = ()
    """Paths hidden from every command: the data root, the secrets in force."""
    unchanging: tuple[Path, ...] = ()
    """Paths that commands may not change: the settings in force, the running program."""
    connection: DiscordConnection | None = None
    """Connection to Discord; None for an agent without Discord."""
    space: Callable[[], Space]
    """Vector space required by the settings.

    Raises:
        ValueError: a provider without a required model.
    """
    is_held: Callable[[], bool]
    """True if an agent runs on the data root."""
    last_seen: Callable[[], Mapping[str, str]] = dict
    """Window key -> newest message in that window's log; looks at the disk."""
    spent_today: Callable[[], float] | None = None
    """Cost in US dollars of this day's model calls (UTC), from the ledger; None without a ledger."""
    hosts: Hosts | None = None
    """Hosts of the windows, if not this process."""
    host: str = ""
    """Name of the host run by this process; empty for an agent, or the head of an agent."""
    shares: int = 1
    """Number of processes that share the settings' limits on model calls and cost."""
    log_disk: Disk | None = None
    """Disk for writing logs; None for the usual disk."""
    on_online: Callable[[str], None] | None = None
    """Called with the bot's name at each connection, from another thread."""
    on_fatal: Callable[[str], None] | None = None
    """Told, in words for a person, why the bot can never connect; from another thread."""

    @property
    def commands_may_write(self) -> bool:
        """True if commands may change their working directory."""
        return self.lives or self.caller_lets_write or self.settings.shell.sandbox == "none"

    @property
    def approve(self) -> Approve:
        """Acts that need a person's approval."""
        return Approve(self.settings.shell.approve)

    @property
    def asks_before_commands(self) -> bool:
        """True if a person is asked before each command: by the setting, or because each may change what is outside."""
        shell = self.settings.shell
        leaves_sandbox = self.caller_lets_write or shell.network == "on" or shell.sandbox == "none"
        return needs_approval(self.approve, leaves_sandbox=leaves_sandbox)

    @property
    def lives(self) -> bool:
        """True if the conversation is recorded: for an agent in Discord, not for a command line's single turn."""
        return self.caller_folder is None

    @property
    def embedding_problem(self) -> str:
        """Reason for a missing vector space, with a remedy; empty if the space exists."""
        try:
            self.space()
        except ValueError as error:
            return str(error)
        return ""
