"""One window with its real log and its real workspace, a model that says what it is told, and a clock of the test's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.log.journal import Journal
from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.workspace.actor import WorkspaceActor
from actors.workspace.config import WorkspaceConfig
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions
from messages.base import CONTEXT_KIND, Address, Message, MessageId, RequestId, Surface, UserId, Window
from messages.context import StartNewWindow, UserMessage
from messages.discord import Delivered, PostMessage
from messages.model import ModelReply, ModelRequest, StopReason, Usage
from messages.workspace import WORKSPACE_KIND, workspace_of

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000031")


class World:
    """Lives of one window on one data root; `kill` ends one without a word."""

    def __init__(
        self,
        root: Path,
        *,
        max_history_tokens: int = 1_500,
        answer: Callable[[ModelRequest], str] = lambda _request: "Noted.",
        **options: Any,
    ) -> None:
        self.root = root
        self.clock = ManualClock()
        self.answer = answer
        self.config = WorkspaceConfig(root=root / "workspace", lives=True, **options)
        self._tokens = max_history_tokens
        self._messages = 0
        self.requests: list[ModelRequest] = []
        self.start()

    @property
    def folder(self) -> Path:
        """The window's files."""
        return self.config.folder_of(WINDOW)

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.model, self.surface = self.system.edge("model"), self.system.edge("surface")
        compacts = self.config.compaction
        config = ContextConfig(
            model=self.model.address,
            shell=Address("nobody"),
            surface=self.surface.address,
            workdir=lambda _window: "/work",
            attachments=lambda _window: "",
            contributors=(workspace_of,),
            subscribers=(workspace_of,),
            compactor=workspace_of if compacts else None,
            max_history_tokens=self._tokens,
        )

        def window(key: str) -> ContextActor:
            of = Window.from_key(key)
            return ContextActor(of, Journal(self.root, of, config.history_tokens, awaits_cuts=compacts), config)

        shared = SharedLooks(SkillLives((), ()), Definitions(()))
        own = WorkspaceConfig(
            **{name: getattr(self.config, name) for name in self.config.__slots__} | {"model": self.model.address}
        )
        self.system.register(ActorSpec(CONTEXT_KIND, window))
        self.system.register(
            ActorSpec(WORKSPACE_KIND, lambda key: WorkspaceActor(Window.from_key(key), own, shared), idle_s=300.0)
        )
        self.system.start()

    def kill(self) -> None:
        """End a life as a kill does, and begin the next."""
        self.start()

    def say(self, text: str) -> list[str]:
        """A turn; texts of the messages that the model was sent for it."""
        self._messages += 1
        said = UserMessage(
            window=WINDOW,
            message_id=MessageId(str(10**18 + self._messages)),
            author_id=UserId("7"),
            author_name="Mona",
            text=text,
            sent_at=self.clock.now(),
            reply_to=self.surface.address,
        )
        self.tell(WINDOW.address, said)
        (request,) = [each for each in self.requests if not each.purpose][-1:]
        return [message.text for message in request.messages]

    def new(self) -> None:
        """`/new`."""
        asked = self.system.edge(f"asked-{self._messages}")
        self.tell(
            WINDOW.address,
            StartNewWindow(request_id=RequestId("n"), reply_to=asked.address, window=WINDOW, asked_by=UserId("7")),
        )

    def tell(self, to: Address, message: Message) -> None:
        """Send a message, and handle everything behind it."""
        self.system.tell(to, message)
        for _ in range(200):
            self.system.run()
            if not (self._answer_model() or self._deliver_posts()):
                break
        self.clock.advance(60.0)
        self.system.run()

    def _answer_model(self) -> bool:
        """True if the model was asked; the question is answered now."""
        asked = [each for each in self.model.drain() if isinstance(each, ModelRequest)]
        for request in asked:
            self.requests.append(request)
            reply = ModelReply(
                request_id=request.request_id,
                text=self.answer(request),
                tool_calls=(),
                stop_reason=StopReason.STOP,
                usage=Usage(),
                model="script",
            )
            self.system.tell(request.reply_to, reply)
        return bool(asked)

    def _deliver_posts(self) -> bool:
        posts = [each for each in self.surface.drain() if isinstance(each, PostMessage)]
        for post in posts:
            shown = (MessageId(str(2 * 10**18 + len(self.requests))),)
            self.system.tell(post.reply_to, Delivered(request_id=post.request_id, message_ids=shown))
        return bool(posts)

    def cuts(self) -> int:
        """Number of cuts by the window's logs."""
        logs = sorted((self.root / "logs").rglob("*.md"))
        return sum(len(re.findall(r'"what":"cut"', log.read_text("utf-8"))) for log in logs)
