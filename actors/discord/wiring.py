"""Composition of the Discord actor: every part on the actor's loop, made and joined here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import discord

from actors.discord.calls.addresses import file_origins
from actors.discord.calls.discord_clock import DiscordClock
from actors.discord.calls.rest_calls import RestCalls
from actors.discord.commands.buttons import Buttons
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offered import Completions
from actors.discord.commands.tree import CommandOffer, Commands
from actors.discord.config import DiscordConfig
from actors.discord.connection.client import AgentClient, ShardedAgentClient
from actors.discord.connection.pauses import Pauses
from actors.discord.connection.session import GatewaySession
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.authorization import Authorization
from actors.discord.incoming.auto_threads import AutoThreads
from actors.discord.incoming.catch_up import CatchUp
from actors.discord.incoming.comparison import Comparison
from actors.discord.incoming.disk import Disk, WorkdirOf
from actors.discord.incoming.fetching import Fetcher
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.lane import HearingRecord, Rules
from actors.discord.incoming.lookup import MessageLookup
from actors.discord.incoming.past.reader import PastReader
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.memory_switching import MemorySwitching
from actors.discord.incoming.places.settings_check import SettingsCheck
from actors.discord.incoming.places.window_map import WindowMap, is_open_to_all
from actors.discord.incoming.preparation import Preparation
from actors.discord.incoming.readership import Readership
from actors.discord.incoming.reading.documents import Documents
from actors.discord.incoming.reading.listening import Listening
from actors.discord.incoming.reading.names import NameBook
from actors.discord.incoming.reading.starter import Starters
from actors.discord.incoming.seen import SeenMessages
from actors.discord.incoming.unpacking import FileBounds, Unpacking
from actors.discord.incoming.watermark_file import WatermarkFile
from actors.discord.incoming.watermarks import Watermarks
from actors.discord.outgoing.channel_messages import ChannelMessages
from actors.discord.outgoing.live import LiveMessages
from actors.discord.outgoing.outbox import Outbox
from actors.discord.outgoing.own_history import OwnHistory
from actors.discord.outgoing.reactions import Reactions
from actors.discord.outgoing.redaction import Redaction
from actors.discord.outgoing.sending import Sending
from actors.discord.outgoing.signs import Place, SignFile
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.kernel import Bulkhead, Host
from actors.part import Menu
from domain.log.watermark import Watermark
from domain.policy.access import Access
from domain.policy.memory_switch import NO_SWITCHES, MemorySwitches
from messages.base import Address, ChannelId
from messages.forget import ForgetDerived


class DiscordHost(Host, Protocol):
    """The actor behind the parts, as far as the parts need the actor."""

    def on_fatal(self, sentence: str) -> None:
        """Note a fault that no restart can mend, with the reason in words for a person; safe in any thread."""

    def on_online(self, name: str) -> None:
        """Note that the bot, of this name, came online; safe in any thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Environment of the actor's parts, outside of it."""

    menu: Menu
    """Commands of the parts."""
    last_seen: Mapping[str, str]
    """Window key (`discord-channel/<id>`, `discord-thread/<id>`) -> newest message in the window's logs, 0 for none."""
    watermarks: Mapping[int, Watermark] = field(default_factory=dict)
    """Channel id -> progress of reading, as far as kept."""
    signs: tuple[Place, ...] = ()
    """Messages with the sign of work from an earlier life."""
    switches: MemorySwitches = NO_SWITCHES
    """Switches of memory set by people in earlier lives."""
    reader_listeners: tuple[Address, ...] = ()
    """Addresses that get the readers of windows."""
    workdir_of: WorkdirOf | None = None
    """Finder of a window's working directory, the place of files to send; None without working directories."""
    data_root: Path | None = None
    """Folder of the data, for people's attachments; None without attachments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """Parts called by the actor; all live on the actor's loop."""

    rest: RestCalls
    intake: Intake
    comparison: Comparison
    outbox: Outbox
    live: LiveMessages
    sending: Sending
    reactions: Reactions
    typing: TypingIndicator
    past: PastReader
    own: OwnHistory
    session: GatewaySession
    memory: MemorySwitching

    def forget(self, request: ForgetDerived) -> None:
        """Keep no words of forgotten messages in memory: of edits, of a thread's starter, of the bot's own messages."""
        place = request.window.id
        self.intake.withdrawn.forget(int(each.message_id) for each in request.events if each.message_id.isdecimal())
        if place.isdecimal():
            self.intake.preparation.starters.forget(int(place))
        self.own.forget(ChannelId(place))

    async def close(self) -> None:
        """Cut off work under way and log out."""
        self.outbox.close()
        self.reactions.close()
        self.sending.close()
        self.past.close()
        self.intake.close()
        await self.session.close()
        await self.intake.watermarks.secure()


@dataclass(frozen=True, slots=True)
class _SharedParts:
    """Parts that make up the intake."""

    disk: Disk
    rest: RestCalls
    seen: SeenMessages
    admission: Admission
    policy: ChannelPolicy
    window_map: WindowMap
    redaction: Redaction


def wire(host: DiscordHost, config: DiscordConfig, around: Surroundings) -> Wiring:
    """Make and join the parts without starting work."""
    timing, token = config.timing, config.connection.token
    first_id = config.connection.first_id
    rest = RestCalls(timing=timing, on_fatal=host.on_fatal, first_id=first_id, monotonic=host.monotonic)
    seen, clock = SeenMessages(), DiscordClock(host)
    redaction = Redaction((token, *config.secrets))
    window_map = WindowMap(config.connection.channels, dms=config.dms)
    policy = ChannelPolicy(config.rules, window_map, around.switches)
    messages = ChannelMessages(host=host, rest=rest, seen=seen, clock=clock, policy=policy, nonce_s=timing.nonce_s)
    live = LiveMessages(messages=messages, redaction=redaction, timing=timing)
    typing = TypingIndicator(rest=rest, timing=timing)
    outbox = Outbox(host=host, messages=messages, live=live, typing=typing, redaction=redaction, timing=timing)
    admission = Admission(host=host, config=config, rest=rest, clock=clock, policy=policy)
    disk = Disk(
        threads=Bulkhead("discord-files"),
        timeout_s=timing.disk_timeout_s,
        data_root=around.data_root,
        workdir_of=around.workdir_of,
    )
    intake = _intake(host, config, around, _SharedParts(disk, rest, seen, admission, policy, window_map, redaction))
    viewers = [name for each in around.menu.commands if each.for_viewers for name in (each.name, each.menu) if name]
    dispatcher = CommandDispatcher(
        host=host, intake=intake, present=redaction.present, timing=timing, for_viewers=viewers
    )
    comparison = Comparison(
        host=host, intake=intake, rest=rest, inquire=dispatcher.inquire, timing=timing, on_own=live.watch
    )
    build = functools.partial(
        AgentClient if config.shards == 1 else ShardedAgentClient,
        config=config,
        catch_up=CatchUp(intake=intake, rest=rest, comparison=comparison, timing=timing),
        clock=clock,
        make_commands=_commands_maker(
            config, around.menu, dispatcher, admission, MessageLookup(rest, intake.preparation)
        ),
        buttons=Buttons(dispatcher, around.menu.presses, outbox.questions.note_deleted),
        on_online=functools.partial(_greet, host, SettingsCheck(host, config.wish)),
    )
    return Wiring(
        rest=rest,
        intake=intake,
        comparison=comparison,
        outbox=outbox,
        live=live,
        own=messages.own,
        sending=_sending(host, messages, redaction, disk, config),
        reactions=_reactions(host, rest, config, around.data_root, window_map),
        typing=typing,
        past=PastReader(host=host, intake=intake, rest=rest, timing=timing, idle=typing.idle),
        memory=MemorySwitching(
            host, policy, around.data_root, present=functools.partial(_present, seen, clock), operators=config.operators
        ),
        session=GatewaySession(
            token=token, build=build, rest=rest, timing=timing, pauses=Pauses(timing), on_fatal=host.on_fatal
        ),
    )


def _present(seen: SeenMessages, clock: DiscordClock) -> int:
    """Snowflake of the present moment: not before any noticed message, and before any message to come."""
    return max(seen.newest, discord.utils.time_snowflake(clock.earliest()))


def _sending(
    host: DiscordHost, messages: ChannelMessages, redaction: Redaction, disk: Disk, config: DiscordConfig
) -> Sending:
    return Sending(
        host=host,
        messages=messages,
        redaction=redaction,
        disk=disk,
        timing=config.timing,
    )


def _greet(host: DiscordHost, check: SettingsCheck, client: discord.Client) -> None:
    """Report useless settings, then the bot's arrival online."""
    check.look(client)
    host.on_online(str(client.user))


def _reactions(
    host: DiscordHost, rest: RestCalls, config: DiscordConfig, data_root: Path | None, window_map: WindowMap
) -> Reactions:
    file = None if data_root is None else SignFile(data_root)
    return Reactions(host=host, rest=rest, timing=config.timing, place_of=window_map.place_of_message, file=file)


def _intake(
    host: DiscordHost,
    config: DiscordConfig,
    around: Surroundings,
    shared: _SharedParts,
) -> Intake:
    """Make the intake, with its rules for hearing people."""
    connection, rest, window_map = config.connection, shared.rest, shared.window_map
    watermarks = Watermarks(
        watermarks=around.watermarks,
        logged=around.last_seen,
        file=None if around.data_root is None else WatermarkFile(around.data_root, watermarks=around.watermarks),
        catchup_hours=config.catchup_hours,
        write_again_s=config.timing.disk_again_s,
    )
    record = HearingRecord(seen=shared.seen, watermarks=watermarks)
    names = NameBook(rest, is_open_to_all)
    access = Access(users=connection.allowed_users, roles=connection.allowed_roles, viewer_roles=config.viewer_roles)
    return Intake(
        host=host,
        rules=Rules(
            authorization=Authorization(window_map=window_map, access=access, rest=rest, names=names),
            admission=shared.admission,
            threads=AutoThreads(
                rest=rest,
                window_map=window_map,
                policy=shared.policy,
                watermarks=watermarks,
                scrub=shared.redaction.scrub,
                timing=config.timing,
            ),
        ),
        preparation=Preparation(
            host=host,
            window_map=window_map,
            policy=shared.policy,
            names=names,
            starters=Starters(rest, knows=watermarks.knows, awaits=record.awaits, arrival=record.arrival),
            unpacking=Unpacking(
                fetcher=Fetcher(rest=rest, origins=file_origins, timing=config.timing),
                disk=shared.disk,
                bounds=FileBounds(
                    most_bytes=config.attachment_bytes,
                    paste_tokens=config.paste_tokens,
                    most_lost_s=config.timing.lost_files_s,
                ),
                listening=Listening(host, config.timing.listen_s),
                documents=Documents(host),
            ),
        ),
        record=record,
        readership=Readership(
            host=host, window_map=window_map, watermarks=watermarks, rest=rest, listeners=around.reader_listeners
        ),
        timing=config.timing,
    )


def _commands_maker(
    config: DiscordConfig, menu: Menu, dispatcher: CommandDispatcher, admission: Admission, lookup: MessageLookup
) -> Callable[[discord.Client], Commands]:
    """Maker of the commands of each new client."""
    completions = Completions(dispatcher, menu.commands)
    offer = CommandOffer(dispatcher, menu.commands, menu.describers, completions, admission, lookup)
    return functools.partial(Commands, offer=offer, dms=config.dms, timing=config.timing)
