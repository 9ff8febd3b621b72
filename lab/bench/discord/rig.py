"""Test rig: the Discord actor alone, between a loopback Discord and windows with immediate answers."""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from actors.discord.actor import DiscordActor
from actors.discord.config import DiscordConfig
from actors.discord.timing import Timing
from actors.discord.wiring import Surroundings
from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.part import DiscordConnection, Menu
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Address, Message, RequestId
from messages.context import UserMessage
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage, ShowProgress, ShowTyping

DISCORD = Address("discord")
MANY = 1_000_000
log = logging.getLogger(__name__)
T = TypeVar("T")


class EchoWindow(Actor):
    """Stand-in for a window: answers each message in turn, every other message with a running message before."""

    def __init__(self) -> None:
        """Begin without messages."""
        super().__init__()
        self._messages = 0
        self._waiting: deque[UserMessage] = deque()

    def handle(self, message: Message) -> None:
        """Answer, or go on."""
        match message:
            case UserMessage():
                self._hear(message)
            case Delivered() | DeliveryRefused():
                self._go_on()
            case DeliveryFailed():
                self._post(look_first=True)
            case _:
                raise ValueError(f"{type(message).__name__}: windows of the rig do not handle this message")

    def _hear(self, message: UserMessage) -> None:
        self._messages += 1
        self._waiting.append(message)
        if len(self._waiting) == 1:
            self._begin()

    def _begin(self) -> None:
        message = self._waiting[0]
        self.tell(message.reply_to, ShowTyping(window=message.window, on=True))
        if self._messages % 2:
            self.tell(
                message.reply_to,
                ShowProgress(
                    window=message.window,
                    turn_id=message.message_id,
                    text="",
                    status="thinking",
                    answers_message_id=message.message_id,
                ),
            )
        self._post()

    def _post(self, *, look_first: bool = False) -> None:
        message = self._waiting[0]
        post = PostMessage(
            request_id=RequestId(message.message_id),
            reply_to=self.address,
            window=message.window,
            text=answer_to(message.text),
            nonce=message.message_id,
            answers_message_id=message.message_id,
            turn_id=message.message_id,
            look_first=look_first,
        )
        self.tell(message.reply_to, post)

    def _go_on(self) -> None:
        message = self._waiting.popleft()
        self.tell(message.reply_to, ShowTyping(window=message.window, on=False))
        if self._waiting:
            self._begin()


def answer_to(text: str) -> str:
    """Answer of a window to `text`."""
    return f"You said: {text}"


class Rig:
    """The actor system with the Discord actor and windows, until the block ends."""

    def __init__(self, api_base: str, gateway_url: str, token: str, timing: Timing) -> None:
        """Begin without a running actor."""
        self._actors: list[DiscordActor] = []
        self._api_base, self._gateway_url, self._token = api_base, gateway_url, token
        self._timing = timing
        self._online: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._system = ActorSystem(workers=2)
        self._system.register(ActorSpec("context", lambda _key: EchoWindow()))
        self._system.register(ActorSpec(DISCORD.kind, lambda _key: self._build(), core=True))

    def on_loop(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Run the coroutine from `work` on the loop of discord.py."""
        loop = self._actors[-1]._loop
        if loop is None:
            raise RuntimeError("the Discord actor is not running")
        return loop.submit(work())

    def __enter__(self) -> Self:
        self._system.start()
        self._online.get(timeout=30)
        return self

    def __exit__(self, *_: object) -> None:
        self._system.stop()

    def _build(self) -> DiscordActor:
        connection = DiscordConnection(
            token=self._token,
            channels=(str(defaults.GENERAL_ID),),
            allowed_users=frozenset({"*"}),
            allowed_roles=frozenset(),
            api_base=self._api_base,
            gateway_url=self._gateway_url,
        )
        actor = DiscordActor(
            DiscordConfig(connection=connection, turns_per_user=MANY, timing=self._timing),
            Surroundings(menu=Menu(), last_seen={}),
            tell_fatal=log.error,
            tell_online=self._online.put,
        )
        self._actors.append(actor)
        return actor


def private_threads(server: PlaygroundServer, count: int) -> list[int]:
    """Ids of new threads."""
    return [server.create_thread(defaults.GENERAL_ID, f"thread {n}", private=True) for n in range(count)]
