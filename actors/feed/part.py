"""Row of the feed in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Verb
from messages.status import FEED, ReadEvents


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the only actor that hands out events; a command line's turn does without."""

    def build(_key: str) -> Actor:
        from actors.feed.actor import FeedActor

        return FeedActor()

    if not plan.lives:
        return None
    return Part(
        spec=ActorSpec(FEED.kind, build),
        forgets=True,
        describes=False,
        operator_verbs={"events.read": Verb(FEED, ReadEvents)},
    )
