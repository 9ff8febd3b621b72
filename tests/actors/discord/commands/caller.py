"""Caller of commands and buttons; the test plays the actors behind."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from actors.context import commands as windows
from actors.discord.commands.dispatcher import TAKES_LONGER
from actors.ledger.commands import USAGE
from actors.memory.recall import commands as memory
from actors.part import Menu
from actors.scheduler import commands as reminders
from actors.skills import commands as skills
from lab.playground.acts.interactions import InteractionOutcome
from lab.playground.world import defaults
from messages.base import Address, Message, RequestId
from messages.memory import MemoryDescribed
from tests.actors.discord.life import Life
from tests.patience import eventually

M = TypeVar("M", bound=Message)

ALL = Menu(
    commands=(
        *windows.COMMANDS,
        USAGE,
        *windows.model_commands(("usual", "strong")),
        *memory.COMMANDS,
        *reminders.COMMANDS,
        *skills.COMMANDS,
    ),
    presses=(*windows.PRESSES, *reminders.PRESSES),
    describers=(Address("memory"), Address("scheduler")),
)


class Caller:
    """A user in a channel."""

    def __init__(self, life: Life, *, user: int = defaults.YOU_ID, channel_id: int = defaults.GENERAL_ID) -> None:
        self.life = life
        self._playground = life.playground
        self._user = user
        self._channel_id = channel_id

    def call(self, command: str, **options: Any) -> InteractionOutcome:
        return self._playground.slash(self._channel_id, command, options, user=self._user)

    def menu(self, name: str, message_id: int) -> InteractionOutcome:
        return self._playground.call_on_message(self._channel_id, name, message_id, user=self._user)

    def press(self, message_id: int | str, custom_id: str) -> InteractionOutcome:
        return self._playground.click(self._channel_id, int(message_id), custom_id, user=self._user)

    def complete(self, command: str, focused: str, typed: str) -> list[str]:
        found = self._playground.complete(self._channel_id, command, focused, {focused: typed}, user=self._user)
        return [choice["value"] for choice in found]

    def asked(self, kind: type[M], count: int = 1, *, call: InteractionOutcome | None = None) -> M:
        """The newest of `count` messages of that kind that actors were sent; with `call`, for that call only."""
        eventually(lambda: len(self._of(kind, call)) >= count)
        return self._of(kind, call)[-1]

    def reply(self, reply: Message) -> None:
        """Have an actor reply."""
        self.life.tell(reply)

    def answer(self, outcome: InteractionOutcome) -> dict[str, Any]:
        """The message that answers a call, once it does more than ask for patience."""
        assert self._playground.wait_for_answer(outcome.id) is not None
        eventually(lambda: self._original(outcome)["content"] != TAKES_LONGER)
        return self._original(outcome)

    def said(self, outcome: InteractionOutcome) -> str:
        return str(self.answer(outcome)["content"])

    def buttons(self, outcome: InteractionOutcome) -> dict[str, str]:
        """Custom id -> label of each button below an answer."""
        rows = self.answer(outcome)["components"]
        return {button["custom_id"]: button["label"] for row in rows for button in row["components"]}

    def _original(self, outcome: InteractionOutcome) -> dict[str, Any]:
        return self._playground.answers(outcome.id)[0]

    def _of(self, kind: type[M], call: InteractionOutcome | None) -> list[M]:
        found = [message for message in self.life.told.now() if isinstance(message, kind)]
        return [each for each in found if call is None or getattr(each, "request_id", None) == str(call.id)]


def fields(message: Message, *left_out: str) -> dict[str, Any]:
    """A message's fields except its request's names."""
    found: dict[str, Any] = msgspec.structs.asdict(message)
    return {name: value for name, value in found.items() if name not in ("request_id", "reply_to", *left_out)}


def described(request_id: RequestId, *, pins_here: int = 0, pins_given: int = 0) -> MemoryDescribed:
    """Description of a small healthy memory."""
    return MemoryDescribed(
        request_id=request_id,
        rows=3,
        ok=3,
        pending=0,
        failed=0,
        pins=pins_here,
        windows=1,
        vectors=3,
        space="offline",
        dimensions=256,
        index_bytes=1_000,
        reconciled_at=None,
        damaged_logs=0,
        state="ready",
        pins_here=pins_here,
        pins_given=pins_given,
    )
