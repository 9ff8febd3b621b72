"""Publication of the usage of calls, for the ledger."""

from __future__ import annotations

from actors.kernel import Host
from messages.model import SPENT, CallSpent


def publish_spent(host: Host, spent: CallSpent) -> None:
    """Tell all followers of `SPENT` about an attempt; on the actor's loop or in a handler."""
    for follower in host.followers(SPENT):
        host.tell(follower, spent)
