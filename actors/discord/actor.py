"""The actor that people in Discord talk to."""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import assert_never

import discord

from actors.discord.calls.addresses import file_origins, point_at
from actors.discord.calls.fatal import token_fault
from actors.discord.calls.rest_calls import RestCalls
from actors.discord.commands.buttons import Buttons
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offered import Completions
from actors.discord.commands.replies import Replies
from actors.discord.commands.tree import CommandOffer, Commands
from actors.discord.config import DiscordConfig
from actors.discord.connection.client import AgentClient, ShardedAgentClient
from actors.discord.connection.session import Session
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.catch_up import CatchUp
from actors.discord.incoming.fetching import Fetcher
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.unpacking import Unpacking, WorkdirOf
from actors.discord.incoming.window_map import WindowMap
from actors.discord.outgoing.outbox import Outbox
from actors.discord.outgoing.reactions import Reactions
from actors.discord.outgoing.sending import LARGEST_SENT_BYTES, Sending
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.discord.seen import Seen
from actors.discord.timing import Timing
from actors.kernel import Actor, LoopThread
from actors.part import Menu
from domain.policy.access import Access
from domain.text.presentable import presentable
from domain.text.secret_scrub import Scrubber
from messages.base import Message
from messages.discord import (
    AttachFile,
    DiscordCommand,
    EndProgress,
    PostMessage,
    ShowProgress,
    ShowReaction,
    ShowTyping,
    StopIntake,
)

log = logging.getLogger(__name__)


class DiscordActor(Actor):
    """Tells windows what people say in Discord, and shows what the windows answer.

    Owns: a thread with an event loop, and on it every object of discord.py.
    Asks: the windows' actors and the parts of the `menu`, for what people want by commands and buttons.
    Crashes on: nothing that Discord does. What no restart could mend is told to `on_fatal`; the actor then lives on
    without a connection.

    Args:
        token: The bot's.
        channels: Ids of the channels that the bot lives in, and in the threads below them.
        allowed_users: Ids of those who are heard; `*` for everybody.
        allowed_roles: Ids of roles whose holders are heard.
        api_base: Where Discord's API is, such as `http://127.0.0.1:8787/api/v10`; empty for Discord's own.
        gateway_url: Where its gateway is, such as `ws://127.0.0.1:8787/`; empty for Discord's own.
        last_seen: Window key (`discord-channel/<id>`, `discord-thread/<id>`) -> newest message in that window's log.
        on_fatal: Told once, in words for a person, why the bot can never connect; called from the loop's thread or
            while starting.
        on_online: Told the bot's name whenever it came online, from the loop's thread.
        config: How it behaves.
        secrets: What must never be shown, in whatever disguise; the token is among them anyway.
        menu: What people can ask the parts.
        workdir_of: Gives a window's working directory, where files that people attach are kept and those that the agent
            sends are looked for; None if there are none.
        timing: Every wait.
    """

    def __init__(
        self,
        *,
        token: str,
        channels: frozenset[str],
        allowed_users: frozenset[str],
        allowed_roles: frozenset[str] = frozenset(),
        api_base: str = "",
        gateway_url: str = "",
        last_seen: Mapping[str, str] | None = None,
        on_fatal: Callable[[str], None],
        on_online: Callable[[str], None] | None = None,
        config: DiscordConfig | None = None,
        secrets: Iterable[str] = (),
        menu: Menu | None = None,
        workdir_of: WorkdirOf | None = None,
        timing: Timing | None = None,
    ) -> None:
        super().__init__()
        self._config = config or DiscordConfig()
        self._menu = menu or Menu()
        self._scrubber = Scrubber((token, *secrets))
        for channel_id in channels:
            if not channel_id.isdecimal():
                raise ValueError(f"channel {channel_id!r}: must be a Discord id, digits only")
        self._token = token
        self._access = Access(users=allowed_users, roles=allowed_roles, viewer_roles=self._config.viewer_roles)
        self._window_map = WindowMap(channels, dms=self._config.dms)
        self._api_base = api_base
        self._gateway_url = gateway_url
        self._seen = Seen(last_seen or {})
        self._tell_fatal = on_fatal
        self._on_online = on_online
        self._workdir_of = workdir_of
        self._timing = timing or Timing()
        self._is_doomed = False
        self._posted = 0
        self._loop: LoopThread | None = None

    def on_start(self) -> None:
        """Start the loop and let it connect."""
        logging.getLogger("discord").setLevel(logging.WARNING)
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        self._wire()
        self._loop = LoopThread("discord")
        self._loop.start()
        try:
            point_at(self._api_base, self._gateway_url)
        except ValueError as error:
            self._on_fatal(str(error))
            return
        if (fault := token_fault(self._token)) is not None:
            self._on_fatal(fault)
        else:
            self._call(self._session.start)

    def handle(self, message: Message) -> None:
        """Hand it to the loop; whatever is no command is the reply to a question that was asked for somebody."""
        if isinstance(message, DiscordCommand):
            self._carry_out(message)
        else:
            self._call(self._replies.take, message)

    def _carry_out(self, message: DiscordCommand) -> None:
        match message:
            case PostMessage():
                self._posted += 1
                self._call(self._outbox.post, message)
            case ShowProgress():
                self._call(self._outbox.live.show, message)
            case AttachFile():
                self._posted += 1
                self._call(self._sending.send, message)
            case EndProgress():
                self._call(self._outbox.end_progress, message)
            case ShowTyping(window=window, on=True):
                self._call(self._typing.show, window.id)
            case ShowTyping(window=window):
                self._call(self._typing.hide, window.id)
            case ShowReaction():
                self._react(message)
            case StopIntake():
                self._call(self._intake.close)
            case _:
                assert_never(message)

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # counted, since two threads would race for a flag
        """Whether a text is still to be shown."""
        return self._loop is not None and self._posted != self._outbox.settled + self._sending.settled

    def on_stop(self) -> None:
        """Close the connection and end the loop."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            loop.submit(self._close()).result(self._timing.close_timeout_s)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            log.warning("what was under way in Discord was cut off")
        loop.stop(2 * self._timing.close_timeout_s)

    # parts

    def _wire(self) -> None:
        """Make the parts that live on the loop; nothing runs yet."""
        self._rest = RestCalls(timing=self._timing, on_fatal=self._on_fatal)
        self._typing = TypingIndicator(rest=self._rest, timing=self._timing)
        self._reactions = Reactions(rest=self._rest, timing=self._timing)
        self._outbox = Outbox(
            rest=self._rest,
            typing=self._typing,
            seen=self._seen,
            timing=self._timing,
            present=self._present,
            tell=self.tell,
            now=self.now,
        )
        self._sending = self._make_sending()
        self._admission = self._make_admission()
        self._intake = Intake(
            window_map=self._window_map,
            access=self._access,
            seen=self._seen,
            rest=self._rest,
            admission=self._admission,
            unpack=self._make_unpacking().unpack,
            tell=self.tell,
            reply_to=self.address,
        )
        self._catch_up = CatchUp(intake=self._intake, window_map=self._window_map, rest=self._rest)
        self._replies = Replies()
        self._dispatcher = CommandDispatcher(
            intake=self._intake,
            replies=self._replies,
            host=self,
            present=self._present,
            timing=self._timing,
            for_viewers=(command.name for command in self._menu.commands if command.for_viewers),
        )
        self._completions = Completions(self._dispatcher, self._menu.commands)
        self._session = Session(
            token=self._token,
            build=self._build_client,
            rest=self._rest,
            timing=self._timing,
            on_fatal=self._on_fatal,
        )

    def _build_client(self) -> AgentClient:
        shards = self._config.shards
        kind = AgentClient if shards == 1 else ShardedAgentClient
        return kind(
            intake=self._intake,
            catch_up=self._catch_up,
            make_commands=self._make_commands,
            buttons=Buttons(self._dispatcher, self._menu.presses),
            on_online=self._note_online,
            hears_dms=self._config.dms,
            timing=self._timing,
            shards=shards or None,
        )

    def _make_admission(self) -> Admission:
        return Admission(
            answers_all=self._config.answers_all,
            catchup=timedelta(hours=self._config.catchup_hours),
            turns_per_user=self._config.turns_per_user,
            now=self.now,
            monotonic=self.monotonic,
            bot_id=self._rest.bot_id,
        )

    def _make_unpacking(self) -> Unpacking:
        return Unpacking(
            fetcher=Fetcher(rest=self._rest, origins=file_origins, timing=self._timing),
            workdir_of=self._workdir_of,
            most_bytes=self._config.attachment_bytes,
            paste_tokens=self._config.paste_tokens,
        )

    def _make_sending(self) -> Sending:
        return Sending(
            rest=self._rest,
            seen=self._seen,
            timing=self._timing,
            workdir_of=self._workdir_of,
            most_bytes=min(self._config.attachment_bytes, LARGEST_SENT_BYTES),
            present=self._present,
            holds_secret=lambda text: self._scrubber.scrub(text) != text,
            tell=self.tell,
        )

    def _present(self, text: str) -> str:
        """`text` as it may be shown: without a secret of ours, and with nothing hidden in it."""
        return presentable(self._scrubber.scrub(text))

    def _make_commands(self, client: discord.Client) -> Commands:
        return Commands(
            client,
            CommandOffer(
                self._dispatcher, self._menu.commands, self._menu.describers, self._completions, self._admission
            ),
            dms=self._config.dms,
            timing=self._timing,
        )

    def _react(self, reaction: ShowReaction) -> None:
        if self._config.reacts:
            self._call(self._reactions.show, reaction)

    def _call(self, act: Callable[..., object], *args: object) -> None:
        if self._loop is not None:
            self._loop.call(act, *args)

    def _note_online(self, name: str) -> None:
        if self._on_online is not None:
            self._on_online(name)

    def _on_fatal(self, sentence: str) -> None:
        if not self._is_doomed:
            self._is_doomed = True
            self._tell_fatal(sentence)

    async def _close(self) -> None:
        """Cut off what is under way and log out."""
        self._outbox.close()
        self._reactions.close()
        self._sending.close()
        self._intake.close()
        await self._session.close()
