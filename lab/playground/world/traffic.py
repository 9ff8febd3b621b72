"""Traffic between the bot and the playground: each exchange and each frame, for a checking listener."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a multipart body: the names in its header, without its bytes."""

    name: str | None
    filename: str | None
    content_type: str | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """REST call and its answer.

    Attributes:
        path: Without the API prefix and the query.
        payload: Decoded JSON body (for multipart the field `payload_json`); None without a body.
        parts: Parts of a multipart body, in order.
        status: 0 when the connection was cut instead.
        answer: Body of the answer.
        fault: The injected fault of the call, if any.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    payload: Any
    parts: tuple[Part, ...]
    status: int
    answer: bytes
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Text frame of the gateway, from the bot or to the bot."""

    by_bot: bool
    text: bytes


Tap = Callable[[Exchange | Frame], None]
"""Listener to the traffic; called on the server's loop."""
