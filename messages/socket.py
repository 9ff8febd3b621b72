"""Protocol of the control socket, shared by every actor behind the socket.

Owner: SocketActor turns each line of a socket into a message to the owner of the matter. The message has the fields
`request_id`, `reply_to` and, for a request about one window, `window`. SocketActor sets these fields, so a request can
act for its own window only. All other fields are the request's arguments. The answer is any message with the same
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
    """True for the socket of lanes, limited to requests open to lanes."""


class DoorOpen(Message, frozen=True, kw_only=True, gc=False):
    """The window's socket listens."""

    request_id: RequestId
    path: str
    """Of the socket, outside the sandbox; when the socket's actor ends, the file goes."""
    open_s: float
    """Least time for which the socket stays open while its actor lives, in seconds from the request."""


class TendDoors(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor: close idle sockets, and retry sockets that could not be made."""


DoorMessage = OpenDoor | TendDoors
DoorReply = DoorOpen | Refused
make_ready(__name__)
