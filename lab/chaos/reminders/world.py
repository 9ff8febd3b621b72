"""Simulated world of the scheduler: a Discord that keeps posted messages, and processes that live and die."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from actors.edited_file.rewriting import Waits
from actors.kernel import Actor, ActorSpec, ActorSystem, Edge, ManualClock
from actors.linux.disk import Disk, RealDisk
from actors.scheduler.actor import SchedulerActor
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.state import SchedulerState
from actors.scheduler.zone import load_zone
from messages.base import Address, Message, MessageId, Surface, Window
from messages.discord import (
    Delivered,
    DeliveryFailed,
    DeliveryRefused,
    DescribeReaders,
    PostMessage,
    Readers,
    ReadersDescribed,
    WindowReaders,
)

SCHEDULER = Address("scheduler")
DISCORD = Address("discord")
CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
OWNER_ID = "810000000000000007"
NONCE_LIFE = timedelta(minutes=3)
"""Time for which Discord remembers a nonce: "a few minutes"."""
QUICK = Waits(settle_s=0.001, verify_s=0.003)
MILLISECOND = 0.001


@dataclass(frozen=True, slots=True)
class PostedMessage:
    """Message in a channel."""

    at: datetime
    text: str
    nonce: str
    window: Window = CHANNEL


@dataclass(slots=True)
class Channel:
    """Postings visible to people, here and in other channels; outlives the agent's processes."""

    postings: list[PostedMessage] = field(default_factory=list)
    fails: int = 0
    """So many of the next postings fail without being shown."""
    refuses: bool = False
    closed: set[Window] = field(default_factory=set)
    """Windows without any possible display."""
    is_mute: bool = False
    """True if postings are swallowed, without an answer."""
    is_dumb: bool = False
    """True if no readership is reported."""
    readers: dict[Window, Readers] = field(default_factory=dict)
    """Readers of a window; unknown for the other windows."""
    requests: list[PostMessage] = field(default_factory=list)
    """Every attempted posting."""

    def texts(self, window: Window | None = None) -> list[str]:
        """All messages, or the messages of one window, oldest first."""
        return [message.text for message in self.postings if window in (None, message.window)]

    def has(self, message: PostMessage, now: datetime) -> bool:
        """True if the posting is shown already, as Discord or a look into the channel can tell."""
        there = [one for one in self.postings if one.window == message.window]
        is_shown = any(one.nonce == message.nonce and now - one.at <= NONCE_LIFE for one in there)
        if is_shown or not message.look_first:
            return is_shown
        since = message.look_since or now - timedelta(hours=1)
        return any(_shows(message, one.text) and one.at >= since for one in there)


def _shows(message: PostMessage, text: str) -> bool:
    """True if a message in the channel is the posting."""
    return message.mark in text if message.mark else message.text == text


class ModelDiscord(Actor):
    """Model of Discord: shows a posting a moment after the request, and answers a moment later."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def handle(self, message: Message) -> None:
        """Show the message, or answer the request."""
        match message:
            case PostMessage() if self._channel.is_mute:
                pass
            case PostMessage():
                self.after(MILLISECOND, _Show(message=message))
            case DescribeReaders() if self._channel.is_dumb:
                pass
            case DescribeReaders(windows=windows):
                readers = tuple(
                    WindowReaders(window=window, readers=self._channel.readers.get(window)) for window in windows
                )
                self.tell(message.reply_to, ReadersDescribed(request_id=message.request_id, windows=readers))
            case _Show(message=posting):
                self.after(MILLISECOND, _Answer(to=posting.reply_to, reply=self._outcome(posting)))
            case _Answer(to=to, reply=reply):
                self.tell(to, reply)
            case _:
                super().handle(message)

    def _outcome(self, posting: PostMessage) -> Message:
        channel, now = self._channel, self.now()
        channel.requests.append(posting)
        if channel.refuses or posting.window in channel.closed:
            return DeliveryRefused(request_id=posting.request_id, reason="the channel is closed")
        if channel.fails:
            channel.fails -= 1
            return DeliveryFailed(request_id=posting.request_id, reason="no connection")
        if not channel.has(posting, now):
            channel.postings.append(PostedMessage(now, posting.text, posting.nonce, posting.window))
        return Delivered(request_id=posting.request_id, message_ids=(MessageId("1"),))


class _Show(Message, frozen=True, kw_only=True, gc=False):
    message: PostMessage


class _Answer(Message, frozen=True, kw_only=True, gc=False):
    to: Address
    reply: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessConfig:
    """Differences between processes."""

    catchup_hours: float = 0.0
    """As the setting."""
    waits: Waits = QUICK
    """Of the file's edits."""
    fires: bool = True
    """True if due reminders are said."""
    window: Window | None = CHANNEL
    """Window of reminders."""
    disk: Disk = field(default_factory=RealDisk)
    """Stores the file."""
    spare: Path | None = None
    """Folder of the agent's spare files; None for a folder beside the file."""


DEFAULTS = ProcessConfig()


class Process:
    """Process of the agent, limited to reminders, on a clock moved by the owner."""

    def __init__(self, folder: Path, channel: Channel, start: datetime, config: ProcessConfig = DEFAULTS) -> None:
        """Start the process."""
        self.clock = ManualClock(start)
        self.file = folder / "reminders.md"
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.life = SchedulerState()
        scheduler = SchedulerConfig(
            file=self.file,
            spare=config.spare or folder / "spare",
            zone=load_zone(),
            channel=config.window,
            delivery=DISCORD,
            owner_id=OWNER_ID,
            catchup_hours=config.catchup_hours,
            fires=config.fires,
            waits=config.waits,
            disk=config.disk,
        )
        self.asker: Edge = self.system.edge("asker")
        self.system.register(ActorSpec(SCHEDULER.kind, lambda _key: SchedulerActor(scheduler, self.life), core=True))
        self.system.register(ActorSpec(DISCORD.kind, lambda _key: ModelDiscord(channel), core=True))
        self.system.start()
        self.system.run()

    def tell(self, message: Message) -> None:
        """Tell the scheduler, and run all immediate effects."""
        self.system.tell(SCHEDULER, message)
        self.system.run()

    def steps(self, count: int, step_s: float = MILLISECOND) -> None:
        """Let `count` steps of time pass, with all effects of each."""
        for _ in range(count):
            self.clock.advance(step_s)
            self.system.run()

    def pass_minutes(self, count: int) -> None:
        """Let minutes pass, each to half a second beyond its beginning."""
        for _ in range(count):
            self.clock.advance(self._until_next_minute())
            self.system.run()
            self.settle()

    def settle(self) -> None:
        """Let half a second pass, with all effects in order."""
        end = self.clock.monotonic() + 0.5
        while (due := self.clock.next_due_s) is not None and self.clock.monotonic() + due <= end:
            self.clock.advance(due)
            self.system.run()
        self.clock.advance(max(0.0, end - self.clock.monotonic()))
        self.system.run()

    def kill(self) -> None:
        """End like a killed process: no further work, and no tidying up."""
        self.clock.close()

    def _until_next_minute(self) -> float:
        now = self.clock.now()
        return 60 - now.second - now.microsecond / 1e6
