"""Test rig: the Discord actor alone, between a loopback Discord and windows that answer at once."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
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
T = TypeVar("T")


@dataclass(slots=True)
class Book:
    """Ledger of one window: the messages it was told, and those it has yet to answer."""

    messages: list[str] = field(default_factory=list)
    waiting: deque[UserMessage] = field(default_factory=deque)
    refusals: list[str] = field(default_factory=list)
    """Why Discord would not take an answer."""


class EchoWindow(Actor):
    """Stand-in for a window: answers each message in turn, every other one with a running message before."""

    def __init__(self, books: dict[str, Book], over: Callable[[str], None]) -> None:
        """Nothing was said yet.

        Args:
            books: By channel id.
            over: Told the channel whenever an answer is shown.
        """
        super().__init__()
        self._books = books
        self._over = over

    def handle(self, message: Message) -> None:
        """Answer, or go on."""
        match message:
            case UserMessage():
                self._hear(message)
            case Delivered():
                self._go_on()
            case DeliveryFailed():
                self._post(look_first=True)
            case DeliveryRefused(reason=reason):
                self._book.refusals.append(reason)
                self._go_on()
            case _:
                raise ValueError(f"{type(message).__name__}: no window of the rig is told this")

    @property
    def _book(self) -> Book:
        return self._books[self.address.key.rpartition("/")[2]]

    def _hear(self, message: UserMessage) -> None:
        book = self._book
        book.messages.append(message.text)
        book.waiting.append(message)
        if len(book.waiting) == 1:
            self._begin()

    def _begin(self) -> None:
        message = self._book.waiting[0]
        self.tell(message.reply_to, ShowTyping(window=message.window, on=True))
        if len(self._book.messages) % 2:
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
        message = self._book.waiting[0]
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
        book = self._book
        message = book.waiting.popleft()
        self.tell(message.reply_to, ShowTyping(window=message.window, on=False))
        if book.waiting:
            self._begin()
        self._over(message.window.id)


def answer_to(text: str) -> str:
    """What a window answers to `text`."""
    return f"You said: {text}"


class Rig:
    """The actor system with the Discord actor and the windows of some threads, until the block ends."""

    def __init__(self, api_base: str, gateway_url: str, token: str, ids: Sequence[int], timing: Timing) -> None:
        """Nothing runs yet.

        Args:
            api_base: Of the loopback Discord.
            gateway_url: Of the same.
            token: The bot's there.
            ids: The threads.
            timing: Every wait of the bot.
        """
        self.ids = ids
        self.books = {str(thread_id): Book() for thread_id in ids}
        self.over: queue.SimpleQueue[str] = queue.SimpleQueue()
        """The channel of each answer that is shown."""
        self.actors: list[DiscordActor] = []
        """Every Discord actor that was built; more than one if one crashed."""
        self.fatal: list[str] = []
        self._api_base, self._gateway_url, self._token = api_base, gateway_url, token
        self._timing = timing
        self._online: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._system = ActorSystem(workers=2)
        self._system.register(ActorSpec("context", lambda _key: EchoWindow(self.books, self.over.put)))
        self._system.register(ActorSpec(DISCORD.kind, lambda _key: self._build(), core=True))

    def on_loop(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Run what `work` gives on the loop that discord.py lives on."""
        loop = self.actors[-1]._loop
        if loop is None:
            raise RuntimeError("the Discord actor is not running")
        return loop.submit(work())

    def __enter__(self) -> Self:
        self._system.start()
        self._online.get(timeout=30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            tell_fatal=self.fatal.append,
            tell_online=self._online.put,
        )
        self.actors.append(actor)
        return actor


def private_threads(server: PlaygroundServer, count: int) -> list[int]:
    """Ids of new threads."""
    return [server.create_thread(defaults.GENERAL_ID, f"thread {n}", private=True) for n in range(count)]
