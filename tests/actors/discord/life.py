"""One life of the Discord actor at a loopback Discord, with windows that only note what they are told."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import msgspec

from actors.context import commands as windows
from actors.kernel import Actor, ActorSpec, ActorSystem, Clock
from actors.part import DiscordConnection, Menu
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Address, Message, RequestId, Surface, TurnId, Window
from messages.context import (
    KeptMessage,
    KeptMessagesTold,
    NewWindowStarted,
    StartNewWindow,
    TellKeptMessages,
    UserMessage,
)
from messages.discord import (
    Delivered,
    DeliveryFailed,
    DeliveryRefused,
    PostMessage,
    ShowTyping,
    UserMessageLogged,
    UserMessageNotLogged,
)
from messages.shell import SHELL, DocumentReply, DocumentUnread, ReadDocument
from tests.patience import PATIENCE_S

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from actors.discord.actor import DiscordActor
    from actors.discord.config import DiscordConfig
    from actors.discord.timing import Timing
    from actors.discord.wiring import Surroundings

GENERAL = Window(surface=Surface.DISCORD_CHANNEL, id=str(defaults.GENERAL_ID))
DISCORD = Address("discord")
FAST = Timing(
    call_timeout_s=5.0,
    attempts=4,
    backoff_s=0.05,
    backoff_limit_s=0.1,
    reconnect_backoff_s=0.05,
    reconnect_refused_limit_s=0.2,
    reconnect_backoff_limit_s=0.2,
    session_timeout_s=5.0,
    identify_pause_s=0.05,
    guild_ready_timeout_s=0.1,
    draft_after_s=0.0,
    typing_every_s=0.15,
    answer_within_s=1.0,
    compare_pause_s=0.0,
)
WAIT_S = PATIENCE_S


def thread_window(thread_id: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(thread_id))


class Notes:
    """What was told, in order, from whatever thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._items: list[Any] = []

    def add(self, item: Any) -> None:
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()

    def wait(self, count: int, timeout_s: float = WAIT_S) -> list[Any]:
        """All items once there are `count`."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._items) >= count, timeout_s):
                raise TimeoutError(f"{len(self._items)} of {count} came: {self._items}")
            return list(self._items)

    def now(self) -> list[Any]:
        with self._changed:
            return list(self._items)


class WindowProbe(Actor):
    """Stands for a ContextActor, or for whomever commands ask: notes everything, grants new windows unless told otherwise."""

    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life

    def handle(self, message: Message) -> None:
        self._life.told.add(message)
        if isinstance(message, UserMessage):
            self._life.messages.add(message)
            if message.text in self._life.unstorable:
                failed = UserMessageNotLogged(window=message.window, message_id=message.message_id)
                self.tell(message.reply_to, failed)
            elif self._life.logs:
                self.tell(message.reply_to, UserMessageLogged(window=message.window, message_id=message.message_id))
        if isinstance(message, StartNewWindow) and self._life.grants_windows:
            self.tell(message.reply_to, NewWindowStarted(request_id=message.request_id, path="logs/x"))
        if isinstance(message, TellKeptMessages):
            kept = self._life.kept.get(message.window, ())
            self.tell(
                message.reply_to,
                KeptMessagesTold(request_id=message.request_id, messages=kept, unfinished_turns=self._life.unfinished),
            )


class ShellStandIn(Actor):
    """Stands for the shell: has the texts of some documents."""

    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life

    def handle(self, message: Message) -> None:
        assert isinstance(message, ReadDocument)
        self._life.asked_to_read.add(message.data)
        answer = self._life.documents.get(message.data, DocumentUnread(request_id=RequestId(""), reason="it is broken"))
        if answer is not None:
            self.tell(message.reply_to, msgspec.structs.replace(answer, request_id=message.request_id))


class Life:
    """One process's worth of the bot."""

    def __init__(
        self,
        playground: PlaygroundServer,
        *,
        timing: Timing = FAST,
        clock: Clock | None = None,
        listener: type[Actor] | None = None,
        **options: Any,
    ) -> None:
        self.playground = playground
        self.messages = Notes()
        self.told = Notes()
        self.fatal = Notes()
        self.online = Notes()
        self.grants_windows = True
        self.logs = True
        """Whether windows say that they have logged what people said."""
        self.unstorable: set[str] = set()
        """Texts that windows say they cannot log."""
        self.unfinished: tuple[TurnId, ...] = tuple(map(TurnId, options.pop("unfinished", ())))
        """Turns that are not over, as windows say."""
        self.kept: Mapping[Window, tuple[KeptMessage, ...]] = options.pop("kept", {})
        """What the windows' logs hold."""
        self.documents: dict[bytes, DocumentReply | None] = {}
        """Answers of the shell to documents; None for no answer at all."""
        self.asked_to_read = Notes()
        self.system = ActorSystem(workers=2, clock=clock)
        self.edge = self.system.edge("test")
        self._config, self._around = _decided(playground, {"timing": timing} | options)
        self._requests = 0
        self.system.register(ActorSpec("context", lambda key: WindowProbe(self)))
        self.system.register(ActorSpec(SHELL.kind, lambda key: ShellStandIn(self)))
        if listener is not None:
            self.system.register(ActorSpec("listener", lambda key: listener()))
        for kind in _served(self._around.menu):
            self.system.register(ActorSpec(kind, lambda key: WindowProbe(self)))
        self.system.register(ActorSpec("discord", lambda key: self._actor(), core=True))

    def _actor(self) -> DiscordActor:
        return DiscordActor(self._config, self._around, tell_fatal=self.fatal.add, tell_online=self.online.add)

    def start(self, *, wait: bool = True) -> Life:
        self.system.start()
        if wait:
            self.online.wait(1)
        return self

    def stop(self) -> None:
        self.system.stop()

    def __enter__(self) -> Life:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # people

    def texts(self, count: int) -> list[str]:
        """What the windows were told people said, once it is `count` messages."""
        return [message.text for message in self.messages.wait(count)]

    def say(self, text: str, channel_id: int = defaults.GENERAL_ID, **how: Any) -> int:
        return self.playground.say(channel_id, text, **how)

    # the agent

    def tell(self, message: Message) -> None:
        self.system.tell(DISCORD, message)

    def post(self, text: str, window: Window = GENERAL, **fields: Any) -> str:
        """Have a text posted; the request's id."""
        self._requests += 1
        request_id = RequestId(f"r{self._requests}")
        command = PostMessage(
            request_id=request_id, reply_to=self.edge.address, window=window, text=text, nonce=f"nonce-{request_id}"
        )
        self.tell(_with(command, fields))
        return request_id

    def outcome(self, request_id: str, timeout_s: float = WAIT_S) -> Message:
        """What became of a request."""
        return self.edge.receive(timeout_s, lambda reply: getattr(reply, "request_id", None) == request_id)

    def delivered(self, text: str, window: Window = GENERAL, **fields: Any) -> tuple[str, ...]:
        """Ids of the messages that show a text that was posted."""
        reply = self.outcome(self.post(text, window, **fields))
        assert isinstance(reply, Delivered), reply
        return reply.message_ids

    def not_delivered(self, text: str, window: Window = GENERAL, **fields: Any) -> DeliveryFailed | DeliveryRefused:
        reply = self.outcome(self.post(text, window, **fields))
        assert isinstance(reply, DeliveryFailed | DeliveryRefused), reply
        return reply

    def type(self, on: bool, window: Window = GENERAL) -> None:
        self.tell(ShowTyping(window=window, on=on))

    def shown(self, channel_id: int = defaults.GENERAL_ID) -> list[str]:
        """What the bot's messages in a channel say."""
        return [
            message["content"]
            for message in self.playground.messages(channel_id)
            if message["author"]["id"] == str(defaults.BOT_ID)
        ]


def _decided(playground: PlaygroundServer, options: Mapping[str, Any]) -> tuple[DiscordConfig, Surroundings]:
    """What the actor is told: where the loopback Discord is, everything else as `options` say or by default."""
    connection: dict[str, Any] = {
        "token": playground.bot_token,
        "channels": (str(defaults.GENERAL_ID),),
        "allowed_users": frozenset({"*"}),
        "allowed_roles": frozenset(),
        "api_base": playground.api_base,
        "gateway_url": playground.gateway_url,
    }
    around: dict[str, Any] = {"menu": Menu(commands=windows.COMMANDS, presses=windows.PRESSES), "last_seen": {}}
    kinds = (DiscordConnection, DiscordConfig, Surroundings)
    chosen = {kind: {name: options[name] for name in options.keys() & _names(kind)} for kind in kinds}
    assert options.keys() <= frozenset[str]().union(*chosen.values()), options
    config = DiscordConfig(
        connection=DiscordConnection(**connection | chosen[DiscordConnection]), **chosen[DiscordConfig]
    )
    return config, Surroundings(**around | chosen[Surroundings])


def _names(kind: type[Any]) -> set[str]:
    return {field.name for field in fields(kind)}


def _served(menu: Menu) -> set[str]:
    """The kinds of actors that commands and presses ask, of which there is one each."""
    asked = (question.to for question in (*menu.commands, *menu.presses))
    return {address.kind for address in (*asked, *menu.describers) if isinstance(address, Address)}


def _with(command: PostMessage, fields: Mapping[str, Any]) -> PostMessage:
    values = {name: getattr(command, name) for name in command.__struct_fields__}
    return PostMessage(**(values | dict(fields)))


def timing(**changes: float) -> Timing:
    return replace(FAST, **changes)  # type: ignore[arg-type]  # attempts is the only int, and no test changes it
