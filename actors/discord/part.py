"""Row of Discord in the table of parts; started last, so that no message is taken before all other parts are there."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from actors.discord.calls.user_agent import USER_AGENT as USER_AGENT
from actors.discord.commands.memory_switch import SWITCHED, memory_commands
from actors.discord.config import DiscordConfig
from actors.discord.incoming.watermark_check import watermark_findings
from actors.discord.timing import Timing
from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, DiscordConnection, Finding, Level, Part, Parts, Plan, Verb
from actors.settings.schema import Settings
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.policy.settings_faults import DiscordWish
from messages.discord import DISCORD, AttachFile, SwitchMemory

log = logging.getLogger(__name__)

LISTEN_MARGIN_S = 5.0
"""Margin above a transcription's own time limit, so the transcription's own reason arrives first."""
VERBS = {"memory.switch": Verb(DISCORD, SwitchMemory, words=SWITCHED)}


def row(plan: Plan, parts: Parts) -> Part | None:
    """Row of the Discord actor; None in a command line's turn."""
    connection = plan.connection
    if connection is None:
        return None

    def build(_key: str) -> Actor:
        from actors.discord.actor import DiscordActor  # discord.py takes half a second to import
        from actors.discord.incoming.places.memory_switching import load_switches
        from actors.discord.incoming.watermark_file import load_watermarks
        from actors.discord.outgoing.signs import load_signs
        from actors.discord.wiring import Surroundings

        with plan.system.dispatcher.blocking:
            last_seen = plan.last_seen()
            watermarks = load_watermarks(plan.settings.data_root)
            signs = load_signs(plan.settings.data_root)
            switches = load_switches(plan.settings.data_root)
        return DiscordActor(
            discord_config(plan.settings, connection, tuple(plan.secrets.values())),
            Surroundings(
                menu=parts.menu,
                last_seen=last_seen,
                watermarks=watermarks,
                signs=signs,
                switches=switches,
                reader_listeners=parts.reader_listeners,
                workdir_of=plan.workdir_of,
                data_root=plan.settings.data_root,
            ),
            tell_fatal=plan.on_fatal or log.error,
            tell_online=plan.on_online,
        )

    return Part(
        spec=ActorSpec(DISCORD.kind, build, core=True, starts_last=True),
        unusable="\n".join(_lacks(connection).values()),
        says_unusable=True,
        describes=False,
        forgets=True,
        verbs={"discord.attach": Verb(DISCORD, AttachFile)},
        commands=memory_commands(has_curated=plan.settings.has_layer("curated")),
        operator_verbs={**VERBS},
        own_commands=("help", "status", "remember", "unremember"),
        checks=(lambda: _look(connection), lambda: watermark_findings(plan.settings.data_root)),
        skills=(SHIPPED_SKILLS / "send-file",),
    )


def discord_config(settings: Settings, connection: DiscordConnection, secrets: tuple[str, ...]) -> DiscordConfig:
    """Configuration of the actor, from the operator's settings.

    Args:
        settings: All settings; the settings about people and channels count.
        connection: Discord's address, and the bot's token.
        secrets: Secrets to redact.
    """
    discord = settings.discord
    return DiscordConfig(
        wish=discord_wish(settings, connection),
        connection=connection,
        operators=frozenset(settings.shell.operators),
        viewer_roles=frozenset(discord.viewer_roles),
        answers_all=discord.answer == "all",
        opens_threads=discord.threads == "auto",
        tables={channel_id: ChannelRule() for channel_id in settings.mcp.channels}
        | {channel_id: table.rule for channel_id, table in settings.channels.items()},
        dms=discord.dms,
        reacts=discord.reactions,
        catchup_hours=discord.catchup_hours,
        turns_per_user=discord.turns_per_user,
        attachment_bytes=int(discord.attachment_mib * (1 << 20)),
        paste_tokens=discord.paste_tokens,
        shards=discord.shards,
        secrets=secrets,
        timing=Timing(
            guild_ready_timeout_s=connection.guilds_settle_s,
            reaction_after_s=discord.reaction_after_s,
            listen_s=0.0 if settings.transcribe.api == "off" else settings.transcribe.timeout_s + LISTEN_MARGIN_S,
        ),
    )


def discord_wish(settings: Settings, connection: DiscordConnection) -> DiscordWish:
    """Ids named in the settings, to be compared with Discord's data."""
    discord, reminders = settings.discord, settings.reminders
    tables = {channel_id: table.rule for channel_id, table in settings.channels.items()}
    return DiscordWish(
        channels=connection.channels,
        users=discord.allowed_users or tuple(connection.allowed_users),
        roles=discord.allowed_roles,
        viewer_roles=discord.viewer_roles,
        dms=discord.dms,
        reminders_channel=reminders.channel,
        reminders_owner=reminders.owner,
        has_reminders=bool(reminders.file),
        tables=tuple(tables),
        rules=ChannelRules(tables, ChannelRule(answer=discord.answer, threads=discord.threads)),
    )


def say_once(
    connection: DiscordConnection, channel_id: str, text: str, exact: str = "", secrets: Iterable[str] = ()
) -> str:
    """Show a text in a channel without an actor, by REST and without notifications; for one-off commands.

    Args:
        connection: Discord's address, and the bot's token.
        channel_id: Id of the channel or thread.
        text: Text, split over as many messages as needed.
        exact: Exact content for a file below the last message; empty for no file.
        secrets: Secrets to redact.

    Returns:
        Why the text is not shown, or not known to be; empty on success.
    """
    from actors.discord.outgoing.once import NotPostedError, post_once

    try:
        post_once(connection, channel_id, text, exact, secrets)
    except NotPostedError as error:
        return str(error)
    return ""


def _lacks(connection: DiscordConnection) -> dict[str, str]:
    """Missing setting -> reason why the bot cannot be started without the setting."""
    lacks = {}
    if not connection.token:
        lacks["DISCORD_BOT_TOKEN"] = "no token: put DISCORD_BOT_TOKEN=… into secrets.env (mode 0600) or the environment"
    if not connection.channels:
        lacks["discord.channels"] = "discord.channels is empty: name a channel for the bot"
    if not connection.allowed_users and not connection.allowed_roles:
        lacks["discord.allowed_users or allowed_roles"] = (
            "discord.allowed_users and allowed_roles are empty: name a person or a role"
        )
    return lacks


def _look(connection: DiscordConnection) -> Iterator[Finding]:
    if lacks := _lacks(connection):
        hint = f"`agent run` needs {', '.join(lacks)}; `agent try` works without"
        yield Finding("discord", Level.WARN, hint)
    else:
        yield Finding("discord", Level.OK, f"{len(connection.channels)} channels at {connection.api_base}")
