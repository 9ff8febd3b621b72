"""The actor that people in Discord talk to."""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable, Mapping
from typing import assert_never

import discord

from actors.discord.addresses import point_at
from actors.discord.catch_up import CatchUp
from actors.discord.client import AgentClient
from actors.discord.commands import Commands, Replies
from actors.discord.courier import Courier
from actors.discord.fatal import token_fault
from actors.discord.intake import Intake
from actors.discord.outbox import Outbox
from actors.discord.places import Places
from actors.discord.seen import Seen
from actors.discord.session import Session
from actors.discord.timing import Timing
from actors.discord.typing_indicator import TypingIndicator
from actors.kernel import Actor, LoopThread
from domain.access import Access
from messages.context import NewWindowRefused, NewWindowStarted
from messages.discord import DiscordCommand, PostMessage, ShowTyping, StopIntake

log = logging.getLogger(__name__)

DiscordMessage = DiscordCommand | NewWindowStarted | NewWindowRefused


class DiscordActor(Actor):
    """Tells windows what people say in Discord, and shows what the windows answer.

    Owns: a thread with an event loop, and on it every object of discord.py.
    Asks: the windows' actors, for new windows on `/new`.
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
        timing: Timing | None = None,
    ) -> None:
        super().__init__()
        for channel_id in channels:
            if not channel_id.isdecimal():
                raise ValueError(f"channel {channel_id!r}: must be a Discord id, digits only")
        self._token = token
        self._access = Access(users=allowed_users, roles=allowed_roles)
        self._places = Places(channels)
        self._api_base = api_base
        self._gateway_url = gateway_url
        self._seen = Seen(last_seen or {})
        self._tell_fatal = on_fatal
        self._on_online = on_online
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

    def handle(self, message: DiscordMessage) -> None:
        """Hand it to the loop."""
        match message:
            case PostMessage():
                self._posted += 1
                self._call(self._outbox.post, message)
            case ShowTyping(window=window, on=True):
                self._call(self._typing.show, window.id)
            case ShowTyping(window=window):
                self._call(self._typing.hide, window.id)
            case StopIntake():
                self._call(self._intake.close)
            case NewWindowStarted() | NewWindowRefused():
                self._call(self._replies.take, message)
            case _:
                assert_never(message)

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # counted, since two threads would race for a flag
        """Whether a text is still to be shown."""
        return self._loop is not None and self._posted != self._outbox.settled

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

    # ---- parts

    def _wire(self) -> None:
        """Make the parts that live on the loop; nothing runs yet."""
        self._courier = Courier(timing=self._timing, on_fatal=self._on_fatal)
        self._typing = TypingIndicator(courier=self._courier, timing=self._timing)
        self._outbox = Outbox(
            courier=self._courier,
            typing=self._typing,
            seen=self._seen,
            timing=self._timing,
            tell=self.tell,
            now=self.now,
        )
        self._intake = Intake(
            places=self._places,
            access=self._access,
            seen=self._seen,
            courier=self._courier,
            tell=self.tell,
            reply_to=self.address,
        )
        self._catch_up = CatchUp(intake=self._intake, places=self._places, courier=self._courier)
        self._replies = Replies()
        self._session = Session(
            token=self._token,
            build=self._build_client,
            courier=self._courier,
            timing=self._timing,
            on_fatal=self._on_fatal,
        )

    def _build_client(self) -> AgentClient:
        return AgentClient(
            intake=self._intake,
            catch_up=self._catch_up,
            make_commands=self._make_commands,
            on_online=self._note_online,
            timing=self._timing,
        )

    def _make_commands(self, client: discord.Client) -> Commands:
        return Commands(
            client,
            intake=self._intake,
            replies=self._replies,
            tell=self.tell,
            reply_to=self.address,
            timing=self._timing,
        )

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
        self._intake.close()
        await self._session.close()
