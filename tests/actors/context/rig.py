"""A window under glass: the real ContextActor and log, with hands on everything that it talks to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.log.file import check_file
from actors.context.log.journal import Journal
from actors.kernel import ActorSpec, ManualClock
from domain.log.event import Event, Kind
from domain.log.parser import parse
from messages.base import CONTEXT_KIND, Address, Message, MessageId, Surface, UserId, Window
from messages.context import UserMessage
from messages.discord import Delivered, PostMessage
from messages.model import ChatMessage, ModelReply, ModelRequest, StopReason, ToolCall, Usage
from messages.shell import BashOutcome, BashResult, RunBash
from tests.actors.context.durability import WatchedSystem, disk_of

M = TypeVar("M", bound=Message)

CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


class Rig:
    """One system with one data root; `restart` is a new life of the same data root."""

    def __init__(
        self,
        root: Path,
        *,
        contributors: tuple[Address, ...] = (),
        max_history_tokens: int = 100_000,
        max_rounds: int = 50,
        max_expansions: int = 0,
        journal: Callable[[Window], Journal] | None = None,
        idle_s: float | None = None,
        **decided: Any,
    ) -> None:
        self.root = root
        self.disk = disk_of(root)
        self.system = WatchedSystem(root, self.disk)
        self.began_s = self.system.clock.monotonic()
        self.model = self.system.edge("model")
        self.shell = self.system.edge("shell")
        self.surface = self.system.edge("surface")
        self.listener = self.system.edge("listener")
        self.config = ContextConfig(
            model=self.model.address,
            shell=self.shell.address,
            surface=self.surface.address,
            workdir=lambda window: f"/work/{window.id}",
            attachments=lambda window: f"/attachments/{window.id}",
            contributors=contributors,
            referrers=contributors,
            subscribers=(self.listener.address,),
            max_history_tokens=max_history_tokens,
            max_rounds=max_rounds,
            max_expansions=max_expansions,
            **decided,
        )
        counted, tokens = self.config.counted_result_chars, self.config.history_tokens
        awaits_cuts = self.config.compactor is not None
        make = journal or (
            lambda window: Journal(
                root, window, tokens, self.disk, counted_result_chars=counted, awaits_cuts=awaits_cuts
            )
        )

        def build(key: str) -> ContextActor:
            window = Window.from_key(key)
            journal = make(window)
            assert journal._disk is self.disk, "each journal is watched"
            return ContextActor(window, journal, self.config)

        self.system.register(ActorSpec(CONTEXT_KIND, build, idle_s=idle_s))
        self.system.start()

    @property
    def clock(self) -> ManualClock:
        """The clock that only the test moves."""
        assert isinstance(self.system.clock, ManualClock)
        return self.system.clock

    def tell(self, window: Window, message: Message) -> None:
        """Tell the window, and let everything come of it."""
        self.system.tell(window.address, message)
        self.system.run()
        self.system.require_rest()

    def say(self, text: str, message_id: int, window: Window = CHANNEL, author: str = "Alice", **how: Any) -> None:
        """A person's words."""
        self.tell(window, user_message(text, message_id, window, author, self.surface.address, **how))

    def advance(self, seconds: float) -> None:
        """Let time pass, and everything come of it."""
        self.clock.advance(seconds)
        self.system.run()
        self.system.require_rest()

    def requests(self) -> list[ModelRequest]:
        """Requests to the model since the last call."""
        return of_type(ModelRequest, self.model.drain())

    def commands(self) -> list[RunBash]:
        """Messages to the shell since the last call."""
        return of_type(RunBash, self.shell.drain())

    def posts(self) -> list[PostMessage]:
        """Posts for people since the last call."""
        return of_type(PostMessage, self.surface.drain())

    def answer(self, text: str, *calls: ToolCall, stop: StopReason = StopReason.STOP) -> ModelRequest:
        """The model answers its one open request; the request."""
        (request,) = self.requests()
        self.system.tell(request.reply_to, reply(request, text, *calls, stop=stop))
        self.system.run()
        return request

    def deliver(self) -> PostMessage:
        """The surface shows the one text that it was given; the post."""
        (post,) = self.posts()
        self.system.tell(
            post.reply_to, Delivered(request_id=post.request_id, message_ids=(MessageId("1000000000000000001"),))
        )
        self.system.run()
        return post

    def finish_command(self, text: str, exit_code: int = 0) -> RunBash:
        """The shell ends the only command."""
        (command,) = self.commands()
        self.system.tell(command.reply_to, bash_result(command, text, exit_code))
        self.system.run()
        return command

    def logs(self, window: Window = CHANNEL) -> list[Path]:
        """The window's log files, oldest first; each is checked."""
        files = sorted((self.root / "logs" / window.surface.value / window.id).glob("*.md"))
        for file in files:
            assert check_file(file) == ()
        return files

    def events(self, window: Window = CHANNEL) -> list[Event]:
        """Events of the window's newest log."""
        return [logged.event for logged in parse(self.logs(window)[-1].read_bytes()).events]

    def kinds(self, window: Window = CHANNEL) -> list[Kind]:
        """The kinds of the events of the newest log."""
        return [event.kind for event in self.events(window)]

    def kill(self) -> None:
        """Die without a word, as kill -9 does: nothing of this life is written any more."""
        for mailbox in self.system.mailboxes():
            actor = mailbox.actor
            if isinstance(actor, ContextActor):
                actor._journal.close()

    def stop(self) -> None:
        """End in good order."""
        self.system.stop()


def user_message(text: str, message_id: int, window: Window, author: str, surface: Address, **how: Any) -> UserMessage:
    """A person's words as the surface passes them on."""
    message = UserMessage(
        window=window,
        message_id=MessageId(str(message_id)),
        author_id=UserId("910000000000000021"),
        author_name=author,
        text=text,
        sent_at=datetime(2026, 1, 30, 14, 0, message_id % 60, tzinfo=UTC),
        reply_to=surface,
    )
    return msgspec.structs.replace(message, **how)


def reply(request: ModelRequest, text: str, *calls: ToolCall, stop: StopReason = StopReason.STOP) -> ModelReply:
    """A model's answer."""
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    return ModelReply(
        request_id=request.request_id, text=text, tool_calls=calls, stop_reason=stop, usage=usage, model="scripted"
    )


def bash_result(command: RunBash, text: str, exit_code: int = 0) -> BashResult:
    """A command's end."""
    return BashResult(
        request_id=command.request_id,
        outcome=BashOutcome.EXITED,
        exit_code=exit_code,
        text=text,
        truncated=False,
        full_output_path="",
        duration_s=0.01,
    )


def bash_call(command: str, call_id: str = "call-1") -> ToolCall:
    """A well-formed wish to run `command`."""
    import json

    return ToolCall(id=call_id, name="bash", arguments_json=json.dumps({"command": command}))


def of_type(kind: type[M], messages: Iterable[Message]) -> list[M]:
    """Messages of one kind."""
    return [message for message in messages if isinstance(message, kind)]


def texts(request: ModelRequest) -> list[str]:
    """Texts of the request's messages, without their headers."""
    return [_body(message) for message in request.messages]


def _body(message: ChatMessage) -> str:
    return message.text.partition("\n")[2] if message.role == "user" else message.text
