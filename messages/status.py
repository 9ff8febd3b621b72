"""Protocol of self-description: an actor is asked what it is doing; any actor that has something to tell may answer.

Also the event of the kernel, for the operator: an actor cannot be kept running.
"""

from __future__ import annotations

from messages.base import Address, Message, RequestId, make_ready

OBSERVER = Address("observer")
TRACES = Address("traces")
"""Shows a person what the others say of themselves."""


class DescribeYourself(Message, frozen=True, kw_only=True, gc=False):
    """Say how you are, at once and without looking anything up elsewhere."""

    request_id: RequestId
    reply_to: Address


Figures = tuple[tuple[str, str | int | float], ...]
"""Names (snake_case, with their unit) and values, in the order to show them."""


class SelfDescription(Message, frozen=True, kw_only=True, gc=False):
    """Figures of one actor."""

    request_id: RequestId
    about: str
    """The actor's kind."""
    figures: Figures
    """Figures for every user who may ask the agent."""
    operator_figures: Figures = ()
    """Figures about other windows or this machine: shown to the operator only, after `figures`."""


StatusMessage = DescribeYourself
StatusReply = SelfDescription


class ActorGaveUp(Message, frozen=True, kw_only=True, gc=False):
    """A core actor crashed too often and is started no more: the process should end."""

    address: Address
    crashes: int
    within_s: float


KernelEvent = ActorGaveUp
make_ready(__name__)
