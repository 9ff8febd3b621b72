"""Protocol of FeedActor, which keeps what happened lately for whoever asks for it piece by piece."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId

FEED = Address("feed")
LONGEST_WAIT_S = 50


class ReadEvents(Message, frozen=True, kw_only=True, gc=False):
    """Give what happened after a place in the stream, or wait until something does; answered by `EventsRead`."""

    request_id: RequestId
    reply_to: Address
    after: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """Place of the last event that is known already; None for the newest, which begins a look."""
    wait_s: Annotated[int, Meta(ge=0, le=LONGEST_WAIT_S)] = 0
    """Longest wait for the first event, in seconds."""


class EventsRead(Message, frozen=True, kw_only=True, gc=False):
    """What happened; nothing, if nothing did in time."""

    request_id: RequestId
    events: tuple[str, ...]
    """Each a JSON object, oldest first."""
    last: int
    """Place of the last of them, for the next look."""
    missed: int
    """How many came between that look and this one and are not kept any more; at least one if that was long ago."""


class FeedTick(Message, frozen=True, kw_only=True, gc=False):
    """Answer whoever has waited long enough; stop keeping what nobody asks for; timer of the FeedActor's own."""


FeedMessage = ReadEvents | FeedTick
FeedReply = EventsRead
