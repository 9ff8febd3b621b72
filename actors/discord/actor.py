"""Actor for conversations with people in Discord."""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

import discord

from actors.discord.calls.addresses import point_at
from actors.discord.calls.fatal import token_fault
from actors.discord.config import DiscordConfig
from actors.discord.incoming.past.reader import PastReader
from actors.discord.wiring import Surroundings, Wiring, wire
from actors.kernel import Actor, LoopThread, NotUnderstoodError
from messages.base import Message, has_request_id
from messages.discord import (
    AttachFile,
    DescribeReaders,
    DiscordCommand,
    EndButtons,
    EndProgress,
    PostMessage,
    ShowProgress,
    ShowReaction,
    ShowTyping,
    StopIntake,
    SwitchMemory,
    TellReaders,
    UserMessageLogged,
    UserMessageNotLogged,
)
from messages.forget import ForgetDerived, answer_derived
from messages.past import FindCategories, ListPast, NotePast, PastCommand, ReadPast, SettlePast

log = logging.getLogger(__name__)


class DiscordActor(Actor):
    """Bridge to Discord: passes people's words to windows, and shows the windows' answers.

    Owns: a thread with an event loop, and on the loop every object of discord.py.
    Asks: the windows' actors and the parts of the menu, on behalf of people's commands and buttons.
    Crashes on: no act of Discord's. Faults that no restart could mend are reported to the actor's starter; the actor
    then lives on without a connection.
    """

    def __init__(
        self,
        config: DiscordConfig,
        around: Surroundings,
        *,
        tell_fatal: Callable[[str], None],
        tell_online: Callable[[str], None] | None = None,
    ) -> None:
        """An actor at rest.

        Args:
            config: Settings of the operator.
            around: Addresses for commands, folders of files, knowledge of an earlier life.
            tell_fatal: Told once, in words for a person, why the bot can never connect; called from the loop's thread
                or while starting.
            tell_online: Told the bot's name whenever it came online, from the loop's thread.
        """
        super().__init__()
        self._config = config
        self._around = around
        self._tell_fatal = tell_fatal
        self._tell_online = tell_online
        self._is_doomed = False
        self._posted = 0
        self._loop: LoopThread | None = None
        self._parts: Wiring

    def on_start(self) -> None:
        """Start the loop and begin to connect."""
        logging.getLogger("discord").setLevel(logging.WARNING)
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        self._parts = wire(self, self._config, self._around)
        self._around = replace(self._around, last_seen={}, watermarks={})  # Of a hundred thousand windows it is 30 MB.
        self._loop = LoopThread("discord", self)
        self._loop.start()
        connection = self._config.connection
        try:
            point_at(connection.api_base, connection.gateway_url, connection.files_base)
        except ValueError as error:
            self.on_fatal(str(error))
            return
        if (fault := token_fault(connection.token)) is not None:
            self.on_fatal(fault)
        else:
            self._call(self._parts.session.start)
            self._call(self._parts.reactions.take_over, self._around.signs)

    def handle(self, message: Message) -> None:
        """Hand a command to the loop; any other message with a request id is a late reply to a question."""
        if isinstance(message, TellReaders):
            self._call(self._parts.intake.readership.tell, message.reply_to)
        elif isinstance(message, DescribeReaders):
            self._call(self._parts.intake.readership.describe, message)
        elif isinstance(message, ForgetDerived):
            self._call(self._forget, message)
        elif isinstance(message, PastCommand):
            self._read_past(message, self._parts.past)
        elif isinstance(message, DiscordCommand):
            self._carry_out(message, self._parts)
        elif has_request_id(message):
            log.debug("%s came after its command had ended", type(message).__name__)
        else:
            raise NotUnderstoodError(message)

    def _forget(self, request: ForgetDerived) -> None:
        """Forget words waiting in memory; on the loop."""
        self._parts.forget(request)
        self.tell(request.reply_to, answer_derived(request, self.address.kind, 0))

    def _carry_out(self, message: DiscordCommand, parts: Wiring) -> None:
        match message:
            case PostMessage():
                self._posted += 1
                self._call(parts.outbox.post, message)
            case ShowProgress():
                self._call(parts.live.show, message)
            case AttachFile():
                self._posted += 1
                self._call(parts.sending.send, message)
            case EndButtons():
                self._call(parts.outbox.questions.end, message)
            case EndProgress():
                self._call(parts.outbox.end_progress, message)
            case ShowTyping(window=window, on=True):
                self._call(parts.typing.show, window.id)
            case ShowTyping(window=window):
                self._call(parts.typing.hide, window.id)
            case ShowReaction():
                self._react(message)
            case UserMessageLogged() | UserMessageNotLogged():
                self._call(parts.intake.note_log, message)
            case SwitchMemory():
                self._call(parts.memory.serve, message)
            case StopIntake():
                self._call(parts.intake.close)
            case _:
                assert_never(message)

    def _read_past(self, message: PastCommand, past: PastReader) -> None:
        match message:
            case ListPast():
                self._call(past.list_places, message)
            case FindCategories():
                self._call(past.find_categories, message)
            case ReadPast():
                self._call(past.read_page, message)
            case SettlePast():
                self._call(past.settle, message)
            case NotePast():
                self._call(past.note, message)
            case _:
                assert_never(message)

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # counted, since two threads would race for a flag
        """True if a text is still to be shown; before the end also if history is to be read or compared."""
        if self._loop is None:
            return False
        parts = self._parts
        reads = parts.intake.is_open and (parts.intake.is_at_work or parts.comparison.is_at_work)
        return reads or self._posted != parts.outbox.settled + parts.sending.settled

    def on_stop(self) -> None:
        """Close the connection and end the loop."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        close_timeout_s = self._config.timing.close_timeout_s
        try:
            loop.submit(self._parts.close()).result(close_timeout_s)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            log.warning("work in progress in Discord was cut off")
        finally:
            loop.stop(2 * close_timeout_s)
            self._parts.outbox.abandon()  # If the loop ended by itself, senders still wait for a result.

    # what the parts tell

    def on_fatal(self, sentence: str) -> None:
        """Pass on why the bot can never connect, once."""
        if not self._is_doomed:
            self._is_doomed = True
            self._tell_fatal(sentence)

    def on_online(self, name: str) -> None:
        """Report that the bot came online."""
        if self._tell_online is not None:
            self._tell_online(name)

    # the loop

    def _react(self, reaction: ShowReaction) -> None:
        if self._config.reacts:
            self._call(self._parts.reactions.show, reaction)

    def _call(self, act: Callable[..., object], *args: object) -> None:
        if self._loop is not None:
            self._loop.call(act, *args)
