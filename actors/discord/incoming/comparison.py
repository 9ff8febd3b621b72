"""Comparison with Discord: messages deleted or edited while the bot was not connected are recalled no more."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.history import NEWEST, read_page, require_history
from actors.discord.calls.parsing import UnreadableAnswerError, WireMessage
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.reading.starter import starter_in
from actors.discord.timing import Timing
from actors.kernel import Host
from domain.log.kept import FORGOTTEN_WORDS, digest
from domain.turn.discord.said import files_of
from messages.base import Address, ChannelId, Message, RequestId, Surface, Window
from messages.context import KeptMessage, KeptMessagesTold, TellKeptMessages

log = logging.getLogger(__name__)

MOST_WINDOWS = 1_000
"""Windows compared after a new session, the most recently used first; each may cost three calls."""
MOST_LISTED = 200
"""Messages of a window requested from Discord: two pages of its history, the newest."""
RETRACTED_AT_ONCE = 100
"""Most retracted messages at one go, as many as Discord itself reports."""
_AT_ONCE = 2

Inquire = Callable[[Address, Message], asyncio.Future[Message]]
"""Asks an actor; returns a future of its reply."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest messages of a channel."""

    messages: dict[int, WireMessage]
    reach: int
    """First message of the list, with all later messages listed too; 0 where the whole history was read."""
    unreadable: frozenset[int] = frozenset()
    """Messages that are there and cannot be read."""
    tells_start: bool = False
    """True if a thread's history includes the starter; otherwise the starter may stand in the parent channel."""

    def lacks(self, number: int, window: Window) -> bool:
        """True if a message of the window is gone from Discord."""
        is_told = self.tells_start if str(number) == window.id else number >= self.reach
        return is_told and number not in self.messages and number not in self.unreadable


class Comparison:
    """Comparer of windows' logs with Discord's history after each new session, which reports no earlier deletions.

    The window is asked first, then Discord: so a message that the window holds and Discord does not list is gone, and a
    message in between is in neither. No message is taken back where Discord did not answer, or would not show all.
    """

    def __init__(
        self,
        *,
        host: Host,
        intake: Intake,
        rest: RestCalls,
        inquire: Inquire,
        timing: Timing,
        on_own: Callable[[Iterable[discord.Message], Collection[str]], None],
    ) -> None:
        """Begin without comparisons.

        Args:
            host: Actor to which windows reply.
            intake: Passes on deletions and edits.
            rest: Reads history.
            inquire: Asks windows for the content of their logs.
            timing: Every wait.
            on_own: Told the bot's own messages of those read, and the window's unfinished turns.
        """
        self._host = host
        self._intake = intake
        self._rest = rest
        self._inquire = inquire
        self._on_own = on_own
        self._timing = timing
        self._due: dict[str, None] = {}
        """Keys of the windows still to be compared, in this order."""
        self._late: set[str] = set()
        """Windows for which a failed comparison was logged in this session."""
        self._working = 0
        self._ahead = 0
        self.is_free = asyncio.Event()
        """Set while no reader of history has precedence."""
        self.is_free.set()
        self._tasks = BackgroundTasks()

    def begin(self) -> None:
        """Compare the windows anew, one after another, after a complete new session or a server's return."""
        self._due = dict.fromkeys(self._intake.watermarks.newest_windows(MOST_WINDOWS))
        self._late.clear()
        self._work()

    @property
    def is_at_work(self) -> bool:
        """True while windows wait for their comparison; for any thread."""
        return bool(self._due) or self._working > 0

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Let readers of history go first."""
        self._ahead += 1
        self.is_free.clear()
        try:
            yield
        finally:
            self._ahead -= 1
            if self._ahead == 0:
                self.is_free.set()

    async def logged_ids(self, window: Window, *, is_needed: bool) -> frozenset[int]:
        """Newest messages whose own words the window's logs hold; without an answer of the window, empty if possible.

        Raises:
            CallFailedError: the window does not answer, and the answer is needed.
        """
        try:
            reply = await self._kept_messages(window)
        except (CallFailedError, TimeoutError) as error:
            reason = f"{window.address} does not say what it has logged: {str(error) or 'no answer came'}"
            if is_needed:
                raise CallFailedError(reason) from error
            log.warning("%s", reason)
            return frozenset()
        return frozenset(int(each.message_id) for each in reply.messages if each.words)

    def _work(self) -> None:
        for _ in range(min(_AT_ONCE, len(self._due)) - self._working):
            self._working += 1
            self._tasks.spawn(self._go_through(), "a comparison with Discord")

    async def _go_through(self) -> None:
        try:
            while self._due:
                await self.is_free.wait()
                if self._due:
                    key = next(iter(self._due))
                    del self._due[key]
                    try:
                        await self._try(key)
                    except Exception:
                        log.exception("%s could not be compared with Discord", key)
                    await asyncio.sleep(self._timing.compare_pause_s)
        finally:
            self._working -= 1

    async def _try(self, key: str) -> None:
        """Compare a window, or arrange a later comparison; a window without its channel is not compared."""
        try:
            await self._compare(Window.from_key(key))
        except (CallRefusedError, CallFailedError, TimeoutError, discord.ClientException) as error:
            if isinstance(error.__cause__, discord.NotFound):
                return
            level = logging.INFO if key in self._late else logging.WARNING
            log.log(level, "%s is compared with Discord later: %s", key, str(error) or "its window does not answer")
            self._late.add(key)
            asyncio.get_running_loop().call_later(self._timing.compare_again_s, self._again, key)

    def _again(self, key: str) -> None:
        self._due.setdefault(key)
        self._work()

    async def _compare(self, window: Window) -> None:
        """Take back messages that are gone from Discord, and revise edited messages.

        Raises:
            CallRefusedError, CallFailedError: Discord did not give its history.
            TimeoutError: the window did not list its messages.
        """
        if not self._is_ours(window):
            return
        await self._intake.settle(ChannelId(window.id))
        reply = await self._kept_messages(window)
        logged = {
            number: message
            for message in reply.messages
            if (number := int(message.message_id)) >= self._rest.first_id and message.words != FORGOTTEN_WORDS
        }
        if not logged:
            return
        oldest = min(logged)
        listing = await self._rest.persist("comparing history", functools.partial(_newest, window, oldest, self._knows))
        own = (each for each in listing.messages.values() if each.author.id == self._rest.bot_id())
        self._on_own(own, reply.unfinished_turns)
        gone = sorted(number for number in logged if listing.lacks(number, window))
        edited = [
            message
            for number, message in sorted(listing.messages.items())
            if number in logged and message.author.id != self._rest.bot_id() and _is_edited(logged[number], message)
        ]
        if gone or edited:
            log.info("%s: %d messages were deleted unheard, %d edited", window.address, len(gone), len(edited))
        for start in range(0, len(gone), RETRACTED_AT_ONCE):
            self._intake.withdraw(window, gone[start : start + RETRACTED_AT_ONCE])
        for message in edited:
            self._intake.revise(message)

    async def _kept_messages(self, window: Window) -> KeptMessagesTold:
        """Messages in the window's logs."""
        request_id = RequestId(self._host.new_id())
        question = TellKeptMessages(request_id=request_id, reply_to=self._host.address, window=window)
        async with asyncio.timeout(self._timing.compare_timeout_s):
            reply = await self._inquire(window.address, question)
        if not isinstance(reply, KeptMessagesTold):
            raise CallFailedError("its logs cannot be read")
        return reply

    def _is_ours(self, window: Window) -> bool:
        """True if a window may still belong to the bot, as far as known without asking Discord."""
        match window.surface:
            case Surface.DISCORD_CHANNEL:
                return window.id in self._intake.window_map.channels
            case Surface.DISCORD_DM:
                return self._intake.window_map.hears_dms
            case _:
                return window.surface is Surface.DISCORD_THREAD

    def _knows(self, channel: object, window: Window) -> bool:
        """True if a channel is the window; an archived thread, named only by its id in messages, is remembered."""
        return isinstance(channel, discord.abc.Snowflake) and self._intake.window_map.learn(channel) == window  # type: ignore[arg-type]


async def _newest(
    window: Window, oldest: int, knows: Callable[[object, Window], bool], client: discord.Client
) -> Listing:
    """Newest messages of a window, as far back as `oldest` or the limit of reading.

    Raises:
        CallRefusedError: the window is not the bot's, or Discord would not show all of its history; the only sign of
            the latter is a list that is too short.
    """
    channel = client.get_channel(int(window.id)) or await client.fetch_channel(int(window.id))
    if not knows(channel, window) or not isinstance(channel, discord.abc.Messageable):
        raise CallRefusedError("it is no conversation of the bot's any more")
    messages: dict[int, WireMessage] = {}
    is_post = isinstance(channel, discord.Thread) and isinstance(channel.parent, discord.ForumChannel)
    tells_start = False
    require_history(channel)
    unreadable: frozenset[int] = frozenset()
    before = NEWEST
    while len(messages) < MOST_LISTED and oldest < before:
        page = await read_page(channel, before=before)
        if nameless := page.unreadable - len(page.unreadable_ids):
            raise UnreadableAnswerError(f"{nameless} messages have no id, and would be taken for deleted")
        unreadable |= page.unreadable_ids
        messages |= {message.id: message for message in page.messages}
        for message in page.messages:
            if message.type is discord.MessageType.thread_starter_message and message.reference is not None:
                tells_start = message.reference.resolved is not None
                begun = starter_in(message)
                messages |= {} if begun is None else {begun.id: begun}
        if page.is_last:
            break
        before = page.oldest
    require_history(channel)
    is_whole = len(messages) < MOST_LISTED and not (messages and min(messages) <= oldest)
    reach = 0 if is_whole else min(messages)
    return Listing(messages, reach, unreadable, tells_start or (is_post and reach <= int(window.id)))


def _is_edited(logged: KeptMessage, message: WireMessage) -> bool:
    """True if a message's text may differ from the log; a quotation is judged by its time only."""
    if message.edited_at is None:
        return False
    if not logged.words:
        return message.edited_at.timestamp() * 1000 > logged.logged_at_ms
    return logged.words != digest(message.content) or logged.files > sum(1 for _ in files_of(message.wire))
