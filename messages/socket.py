"""Protocol of the control socket, shared by every actor that answers it.

Owner: SocketActor turns each line of a socket into a message to the actor that owns the matter. Such a message has the
fields `request_id`, `reply_to` and, where it concerns one window, `window`: the door fills these in, so that a request
can act for its own window only. All other fields are the request's arguments. Its answer is any message with the same
`request_id`, or `Refused`.
"""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Window, make_ready

SOCKET = Address("socket")


class Refused(Message, frozen=True, kw_only=True, gc=False):
    """The request was refused; no state was changed."""

    request_id: RequestId
    reason: str
    """A sentence that names the value and the rule."""


class OpenDoor(Message, frozen=True, kw_only=True, gc=False):
    """Make sure that the window's socket listens; answered by `DoorOpen` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    is_lane: bool = False
    """True for the socket of lanes, which answers only the requests open to lanes."""


class DoorOpen(Message, frozen=True, kw_only=True, gc=False):
    """The window's socket listens."""

    request_id: RequestId
    path: str
    """Of the socket, outside the sandbox; when the socket's actor ends, the file goes."""
    open_s: float
    """For how many seconds, counted from the question, it stays open at least while its actor lives."""


class TendDoors(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor's own: close sockets that are idle for long, or retry sockets that could not be made."""


DoorMessage = OpenDoor | TendDoors
DoorReply = DoorOpen | Refused
make_ready(__name__)
