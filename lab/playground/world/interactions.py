"""Life of interactions: acknowledged once within 3 s, then 15 minutes of follow-ups."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from secrets import token_urlsafe
from typing import Any

from lab.playground.world.errors import ApiError, invalid_webhook_token, unknown_id
from lab.playground.world.records import Channel, Message, User

ACKNOWLEDGE_S = 3.0
TOKEN_LIFE_S = 900.0
_MOST_INTERACTIONS = 10_000


class InteractionKind(IntEnum):
    """Discord's interaction types."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackKind(IntEnum):
    """Way of acknowledging an interaction."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(slots=True)
class Interaction:
    """Act of a user on the bot's commands or components."""

    id: int
    token: str
    kind: InteractionKind
    user: User
    channel: Channel
    data: dict[str, Any]
    created_at: float
    source: Message | None = None
    """Message of the used component."""
    trigger: Interaction | None = None
    """Interaction answered with the form that this interaction submits."""
    callback: CallbackKind | None = None
    callback_data: dict[str, Any] = field(default_factory=dict)
    original_id: int | None = None
    """Message behind `@original`."""
    is_deferred: bool = False
    """True if the original still waits for its text."""
    hidden: dict[int, Message] = field(default_factory=dict)
    """Ephemeral answers, seen by `user` only."""
    answer_ids: list[int] = field(default_factory=list)

    @property
    def is_acknowledged(self) -> bool:
        """True if the bot has called back."""
        return self.callback is not None


class InteractionBook:
    """The interactions of the last quarter of an hour."""

    def __init__(self, clock: Callable[[], float], new_id: Callable[[], int]) -> None:
        """Empty.

        Args:
            clock: Seconds since 1970.
            new_id: Makes ids.
        """
        self._clock = clock
        self._new_id = new_id
        self._by_token: OrderedDict[str, Interaction] = OrderedDict()
        self._by_id: dict[int, Interaction] = {}

    def open(
        self,
        kind: InteractionKind,
        user: User,
        channel: Channel,
        data: dict[str, Any],
        source: Message | None = None,
    ) -> Interaction:
        """New interaction, waiting for its callback."""
        token = token_urlsafe(48)
        interaction = Interaction(self._new_id(), token, kind, user, channel, data, self._clock(), source)
        self._by_token[interaction.token] = interaction
        self._by_id[interaction.id] = interaction
        self._forget()
        return interaction

    def get(self, interaction_id: int) -> Interaction:
        """The interaction, else 10062."""
        interaction = self._by_id.get(interaction_id)
        if interaction is None:
            raise unknown_id("interaction", 10062)
        return interaction

    def is_known(self, token: str) -> bool:
        """True if `token` belongs to an interaction."""
        return token in self._by_token

    def find_hidden(self, message_id: int) -> Message | None:
        """Ephemeral answer with id `message_id`; None if there is no answer."""
        messages = (interaction.hidden.get(message_id) for interaction in self._by_id.values())
        return next((message for message in messages if message is not None), None)

    def acknowledge(self, interaction_id: int, token: str, kind: int, data: dict[str, Any]) -> Interaction:
        """The interaction, now acknowledged; late or unknown 10062, twice 40060."""
        interaction = self.get(interaction_id)
        if not hmac.compare_digest(interaction.token.encode(), token.encode()):
            raise unknown_id("interaction", 10062)
        if interaction.is_acknowledged:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        if self._clock() - interaction.created_at > ACKNOWLEDGE_S:
            raise unknown_id("interaction", 10062)
        interaction.callback = CallbackKind(kind)
        interaction.callback_data = data
        return interaction

    def by_token(self, token: str) -> Interaction:
        """The acknowledged interaction of a webhook token; unknown 10015, older than 15 min 50027."""
        interaction = self._by_token.get(token)
        if interaction is None or not interaction.is_acknowledged:
            raise unknown_id("Webhook", 10015)
        if self._clock() - interaction.created_at > TOKEN_LIFE_S:
            raise invalid_webhook_token()
        return interaction

    def _forget(self) -> None:
        oldest_kept = self._clock() - 2 * TOKEN_LIFE_S
        while self._by_token:
            oldest = next(iter(self._by_token.values()))
            if len(self._by_token) <= _MOST_INTERACTIONS and oldest.created_at >= oldest_kept:
                return
            del self._by_token[oldest.token], self._by_id[oldest.id]
