"""A conversation that is the same every time: real windows, memory and skills, a clock and ids that count."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec

from actors.bootstrap import agent_plan, discord_connection
from actors.context.log.data_root import DataRoot
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock, counted_ids
from actors.model.wire import messages_of, tools_of, without_tool_calls
from actors.part import Layer
from actors.parts import LAYERS, parts
from actors.settings.load import load
from messages.base import Address, Message, MessageId, RequestId, Surface, UserId, Window
from messages.context import PinMemory, StartNewWindow
from messages.discord import DISCORD, Delivered, PostMessage, ReadersChanged
from messages.embedder import EmbedTexts
from messages.memory import MEMORY
from messages.model import ModelRequest, ToolCall
from messages.shell import RunBash
from tests.actors.context.rig import bash_call, bash_result, reply, user_message
from tests.actors.memory.readers import readers_of
from tests.actors.memory.rig import Brain

ROOT = Path(__file__).parents[2]
CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
PUBLIC = "1:910000000000000011:everyone"

M = TypeVar("M", bound=Message)


class Inbox(Actor):
    """Keeps what it is told, for the test to answer."""

    def __init__(self, told: list[Message]) -> None:
        super().__init__()
        self._told = told

    def handle(self, message: Message) -> None:
        self._told.append(message)


class Recording:
    """One agent without Discord, model, shell and embedder, for each of which the test speaks."""

    def __init__(self, folder: Path, layers: tuple[Layer, ...] = LAYERS, **given: object) -> None:
        self.folder = folder
        self.requests: list[ModelRequest] = []
        self.told: dict[str, list[Message]] = {
            kind: [] for kind in ("model", "shell", "discord", "embedder", "socket", "web", "scheduler")
        }
        self.clock = ManualClock()
        self.system = ActorSystem(workers=0, clock=self.clock, ids=counted_ids())
        self.message_id = 1_000_000_000_000_000_000
        usual = {"data_root": str(folder / "data"), "embedder.provider": "local", "skills.folders": []}
        tables = {layer.name: layer.table for layer in layers}
        settings = load(environ={}, folder=folder, overrides=usual | given, tables=tables)
        root = DataRoot(settings.data_root)
        root.hold()
        root.release()
        connection = replace(discord_connection(settings, "no token"), channels=(CHANNEL.id,))
        plan = replace(
            agent_plan(settings, {}, self.system, connection), workdir_of=lambda window: Path("/work") / window.id
        )
        space = plan.space()
        self.brain = Brain(space.name, space.dimensions)
        for part in parts(plan, layers):
            kind = part.spec.kind
            self.system.register(_inbox_spec(kind, self.told[kind]) if kind in self.told else part.spec)
        self.system.start()
        self._run()

    def say(
        self,
        text: str,
        window: Window = CHANNEL,
        author: str = "Alice",
        *,
        may_run: bool = True,
        patience_s: float = 0.0,
    ) -> ModelRequest:
        """A person's words; what the model is asked then, or that much later."""
        self.message_id += 1
        said = user_message(text, self.message_id, window, author, DISCORD)
        said = msgspec.structs.replace(said, sent_at=self.clock.now(), audience=PUBLIC, may_run=may_run)
        self.tell(MEMORY, ReadersChanged(windows=(readers_of(window, PUBLIC),)))
        self.tell(window.address, said)
        self.advance(patience_s)
        return self.take_request()

    def answer(self, request: ModelRequest, text: str, *calls: ToolCall) -> None:
        """The model's words."""
        self.tell(request.reply_to, reply(request, text, *calls))

    def exchange(self, text: str, answer: str, window: Window = CHANNEL, author: str = "Alice") -> None:
        """One whole turn."""
        self.answer(self.say(text, window, author), answer)
        self.advance(61)

    def command(self, request: ModelRequest, command: str, output: str) -> ModelRequest:
        """The model has a command run; what it is asked then."""
        self.answer(request, "", bash_call(command, f"call-{self.system.new_id()}"))
        (run,) = self._take("shell", RunBash)
        self.tell(run.reply_to, bash_result(run, output))
        return self.take_request()

    def take_request(self) -> ModelRequest:
        """The only request to the model."""
        (request,) = self._take("model", ModelRequest)
        self.requests.append(request)
        return request

    def tell(self, to: Address, message: Message) -> None:
        """Say something, and let everything come of it."""
        self.system.tell(to, message)
        self._run()

    def advance(self, seconds: float) -> None:
        """Let time pass, and everything come of it."""
        self.clock.advance(seconds)
        self._run()

    def pin(self, text: str) -> None:
        """A person pins own words in the channel."""
        pin = PinMemory(
            request_id=RequestId("pin"),
            reply_to=DISCORD,
            window=CHANNEL,
            asked_by=UserId("1"),
            asked_by_name="Alice",
            text=text,
            audience=PUBLIC,
        )
        self.tell(CHANNEL.address, pin)

    def start_new_window(self) -> None:
        """`/new` in the channel."""
        new = StartNewWindow(request_id=RequestId("new"), reply_to=DISCORD, window=CHANNEL, asked_by=UserId("1"))
        self.tell(CHANNEL.address, new)

    def told_places(self, request: ModelRequest) -> list[str]:
        """Paths of logs that the request names."""
        return re.findall(r"logs/[\w./-]+\.md", request.messages[-1].text)

    def lines(self) -> list[str]:
        """Requests to the model's server, one a line, with the checkout's folder named `<checkout>`."""
        return [_on_the_wire(request).replace(str(ROOT), "<checkout>") for request in self.requests]

    def stop(self) -> None:
        """End in good order."""
        self.system.stop()

    def _run(self) -> None:
        """Let everything come of what was said, embedder and Discord included."""
        self.system.run()
        while embed := self._take("embedder", EmbedTexts):
            for request in embed:
                answer = self.brain.answer(request)
                assert answer is not None
                self.system.tell(request.reply_to, answer)
            self.system.run()
        posts = self._take("discord", PostMessage)
        for post in posts:
            self.message_id += 1
            self.system.tell(
                post.reply_to, Delivered(request_id=post.request_id, message_ids=(MessageId(str(self.message_id)),))
            )
        if posts:
            self._run()

    def _take(self, kind: str, wanted: type[M]) -> list[M]:
        told, self.told[kind][:] = list(self.told[kind]), []
        return [message for message in told if isinstance(message, wanted)]


def _inbox_spec(kind: str, told: list[Message]) -> ActorSpec:
    return ActorSpec(kind, lambda _key: Inbox(told))


def _on_the_wire(request: ModelRequest) -> str:
    worded = without_tool_calls(request)
    return json.dumps({"messages": messages_of(worded), "tools": tools_of(worded.tools)}, ensure_ascii=False)
