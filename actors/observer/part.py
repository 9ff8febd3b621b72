"""Rows of the observer, and of the sender of traces, in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.observer.tracing.exporting import Exporter, lack_of
from actors.part import Part, Parts, Plan
from messages.status import OBSERVER, TRACES


def row(plan: Plan, parts: Parts) -> Part | None:
    """The page's only server; None unless the settings switch the observer on, and for a command line's turn."""
    settings = plan.settings.observer
    if not plan.lives or plan.host or not settings.enabled:
        return None

    def build(_key: str) -> Actor:
        from actors.observer.actor import ObserverActor

        describers = tuple(each for each in parts.describers if each != OBSERVER)
        return ObserverActor(plan.settings.data_root, settings.port, describers)

    return Part(spec=ActorSpec(OBSERVER.kind, build, is_eager=True))


def traces_row(plan: Plan, _parts: Parts) -> Part | None:
    """The only sender of traces; None unless the settings name a collector, and for a command line's turn."""
    endpoint = plan.settings.traces.endpoint
    if not plan.lives or plan.host or not endpoint:
        return None
    lack = lack_of()

    def build(_key: str) -> Actor:
        from actors.observer.tracing.actor import TracesActor

        return TracesActor(lambda: Exporter(endpoint))

    return Part(
        spec=ActorSpec(TRACES.kind, build, is_eager=True),
        unusable=lack and f"traces.endpoint is {endpoint!r}: {lack}",
    )
