"""Whole agent without Discord, model server, shell and embedder, for each of which a double speaks.

Everything else is the agent's own: windows and their logs, memory, skills, layers, settings, files. Another one on the
same folder is the agent after a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from actors.bootstrap import agent_plan, discord_connection
from actors.context.log.data_root import DataRoot
from actors.context.log.recovery import survey
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.parts import LAYERS, parts, settings_tables
from actors.settings.load import load
from messages.base import Address, Message, MessageId, RequestId, Surface, UserId, Window, request_id_of
from messages.context import ResumeWindow, StartNewWindow, UserMessage
from messages.discord import DISCORD, Delivered, Grant, PostMessage, Readers, ReadersChanged, WindowReaders
from messages.embedder import EmbedTexts, TextsEmbedded
from messages.memory import MEMORY
from messages.model import ModelFailed, ModelReply, ModelRequest, StopReason, Usage
from messages.shell import BashRefused, RunBash

MOST_S = 150.0
"""Longest time, by the agent's clock, until a message is answered: two gates without an answer."""
STOP_S = 10.0
FIRST_MESSAGE = 1_000_000_000_000_000_000
GUILD = "910000000000000001"
_GRANT = Grant(is_default=True)
_USUAL: dict[str, object] = {"skills.folders": [], "discord.allowed_users": ["*"], "discord.turns_per_user": 10_000}
_DOUBLED = ("model", "shell", "discord", "embedder", "facts-embedder", "socket", "web", "scheduler", "gateway")


@dataclass(frozen=True, slots=True)
class Late:
    """Delayed answer; empty for a failure."""

    text: str
    after_s: float


Behave = Callable[[ModelRequest], str | Late | None]
"""Function from a request to the model's answer: empty for a failure, None for no answer."""
Embed = Callable[[Sequence[str]], Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Answered:
    """Turn: the request to the model, and the final answer."""

    requests: tuple[ModelRequest, ...]
    text: str
    waited_s: float
    """Until the model was asked, by the agent's clock."""


@dataclass(slots=True)
class _Traffic:
    """Messages received by the doubles."""

    requests: list[ModelRequest] = field(default_factory=list)
    """For turns, not for workers."""
    asked_at: list[float] = field(default_factory=list)
    posts: dict[MessageId, str] = field(default_factory=dict)
    """Message -> its answer."""


def window_of(number: int) -> Window:
    """Window of this number, a thread of its own."""
    return Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_200_000 + number))


class BenchAgent:
    """Life of the agent; also a context manager."""

    def __init__(
        self,
        root: Path,
        behave: Behave,
        embed: Embed,
        options: Mapping[str, object],
        *,
        clock: ManualClock,
    ) -> None:
        """Start it, and have it pick up what an earlier life left.

        Args:
            root: Holds the data root; an earlier life's, or an empty folder.
            behave: Speaks for the model.
            embed: Gives vectors of 384 components, as bytes.
            options: Settings by dotted key.
            clock: Moved by this object while something is waited for.
        """
        self.root = root
        self._clock = clock
        self._traffic = _Traffic()
        usual = {"data_root": str(root / "data"), "embedder.provider": "local"}
        settings = load(
            environ={}, folder=root, overrides={**_USUAL, **usual, **options}, tables=settings_tables(LAYERS)
        )
        self._has_memory = settings.memory.enabled
        self.data = DataRoot(settings.data_root)
        self.data.hold()
        self.system = ActorSystem(workers=0, clock=clock)
        doubles: dict[str, Callable[[str], Actor]] = {
            "model": lambda _key: ModelDouble(behave, self._traffic),
            "discord": lambda _key: DiscordDouble(self._traffic),
            "embedder": lambda _key: EmbedderDouble(embed, plan.space().name),
            "facts-embedder": lambda _key: EmbedderDouble(embed, plan.space().name),
        }
        plan = agent_plan(settings, {}, self.system, replace(discord_connection(settings, "none"), channels=("1",)))
        for part in parts(plan).specs():
            double = doubles.get(part.kind, lambda _key: Silent())
            self.system.register(ActorSpec(part.kind, double) if part.kind in _DOUBLED else part)
        recovery = survey(self.data.path)
        self.system.start()
        for window in recovery.unfinished:
            self.system.tell(window.address, ResumeWindow(window=window, reply_to=DISCORD))
        self.system.run()
        self.edge = self.system.edge("bench")

    def say(self, window: Window, text: str, number: int, *, author: str = "Alice", may_run: bool = True) -> Answered:
        """Say a person's words, and return the resulting turn.

        Args:
            window: Window of the message.
            text: Text of the message.
            number: Number of the message, unique across all lives.
            author: Author of the message.
            may_run: False for a person without the right to run commands.

        Raises:
            TimeoutError: no answer came.
        """
        message_id = MessageId(str(FIRST_MESSAGE + number))
        first, began = len(self._traffic.requests), self.system.clock.monotonic()
        if self._has_memory:
            self.system.tell(MEMORY, ReadersChanged(windows=(_readers(window),)))
        self.system.tell(window.address, self._message(window, text, message_id, author, may_run=may_run))
        self._step_until(lambda: message_id in self._traffic.posts, f"an answer to {text[:60]!r}")
        places = slice(first, len(self._traffic.requests))
        when = self._traffic.asked_at[places]
        return Answered(
            tuple(self._traffic.requests[places]), self._traffic.posts[message_id], when[0] - began if when else 0.0
        )

    def start_new(self, window: Window) -> None:
        """Send `/new` in the window."""
        request_id = RequestId(self.system.new_id())
        self.ask(
            window.address,
            StartNewWindow(request_id=request_id, reply_to=self.edge.address, window=window, asked_by=UserId("1")),
        )

    def ask(self, to: Address, message: Message) -> Message:
        """Answer to a request whose `reply_to` is this object's edge.

        Raises:
            TimeoutError: there is no answer.
        """
        request_id, replies = request_id_of(message), list[Message]()
        self.system.tell(to, message)

        def is_there() -> bool:
            replies.extend(each for each in self.edge.drain() if getattr(each, "request_id", None) == request_id)
            return bool(replies)

        self._step_until(is_there, f"an answer to {type(message).__name__}")
        return replies[0]

    def rest(self, seconds: float) -> None:
        """Let time pass, and complete all due work."""
        self.system.run()
        ends_at = self._clock.monotonic() + seconds
        while (due_s := self._clock.next_due_s) is not None and self._clock.monotonic() + due_s <= ends_at:
            self._clock.advance(due_s)
            self.system.run()
        self._clock.advance(ends_at - self._clock.monotonic())

    def stop(self) -> None:
        """End the life in good order."""
        self.system.drain(0)
        self.system.stop(STOP_S)
        self.data.release()

    def kill(self) -> None:
        """End the life abruptly: waiting work is lost, and the next life finds the state of the disk."""
        self.data.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _message(self, window: Window, text: str, message_id: MessageId, author: str, *, may_run: bool) -> UserMessage:
        return UserMessage(
            window=window,
            message_id=message_id,
            author_id=UserId("910000000000000021"),
            author_name=author,
            text=text,
            sent_at=self.system.clock.now(),
            reply_to=DISCORD,
            audience=f"{GUILD}:{window.id}:everyone",
            may_run=may_run,
        )

    def _step_until(self, holds: Callable[[], bool], what: str) -> None:
        """Move the clock from timer to timer until `holds` is true."""
        self.system.run()
        ends_at = self._clock.monotonic() + MOST_S
        while not holds():
            due_s = self._clock.next_due_s
            if due_s is None or self._clock.monotonic() + due_s > ends_at:
                raise TimeoutError(f"{what}: nothing came within {MOST_S:g} s")
            self._clock.advance(due_s)
            self.system.run()


class ModelDouble(Actor):
    """Model with immediate answers."""

    def __init__(self, behave: Behave, traffic: _Traffic) -> None:
        super().__init__()
        self._behave = behave
        self._traffic = traffic

    def handle(self, message: Message) -> None:
        """Answer a request, or ignore it."""
        if not isinstance(message, ModelRequest):
            return
        if not message.purpose:
            self._traffic.requests.append(message)
            self._traffic.asked_at.append(self.monotonic())
        answer = self._behave(message)
        if isinstance(answer, Late):
            self.wait(answer.after_s, partial(self._reply, message, answer.text))
        elif answer is not None:
            self._reply(message, answer)

    def _reply(self, message: ModelRequest, text: str) -> None:
        reply: Message = ModelReply(
            request_id=message.request_id,
            text=text,
            tool_calls=(),
            stop_reason=StopReason.STOP,
            usage=Usage(prompt_tokens=10, completion_tokens=5),
            model="scripted",
        )
        if not text:
            reply = ModelFailed(request_id=message.request_id, reason="the script has no answer", attempts=1)
        self.tell(message.reply_to, reply)


class DiscordDouble(Actor):
    """Surface with immediate confirmation of every post."""

    def __init__(self, traffic: _Traffic) -> None:
        super().__init__()
        self._traffic = traffic
        self._posted = 0

    def handle(self, message: Message) -> None:
        """Take a post."""
        if not isinstance(message, PostMessage):
            return
        self._posted += 1
        posted = MessageId(str(2 * FIRST_MESSAGE + self._posted))
        self.tell(message.reply_to, Delivered(request_id=message.request_id, message_ids=(posted,)))
        self._traffic.posts[message.answers_message_id] = message.text


class EmbedderDouble(Actor):
    """Embedder with immediate vectors."""

    def __init__(self, embed: Embed, space: str) -> None:
        super().__init__()
        self._embed = embed
        self._space = space

    def handle(self, message: Message) -> None:
        """Answer a request."""
        if isinstance(message, EmbedTexts):
            vectors = tuple(self._embed(message.texts))
            reply = TextsEmbedded(request_id=message.request_id, model=self._space, vectors=vectors)
            self.tell(message.reply_to, reply)


class Silent(Actor):
    """Absent actor; commands are refused."""

    def handle(self, message: Message) -> None:
        """Refuse requests waiting for an answer."""
        if isinstance(message, RunBash):
            self.tell(message.reply_to, BashRefused(request_id=message.request_id, reason="there is no shell here"))


def _readers(window: Window) -> WindowReaders:
    readers = Readers(guild_id=GUILD, channel_id=window.id, sees=_GRANT, reads=(_GRANT,))
    return WindowReaders(window=window, readers=readers)
