"""Row of the object store, for the layer of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Part, Parts, Plan, Row, Verb
from messages.object_store import OBJECT_STORE, CollectObjects

if TYPE_CHECKING:
    from actors.memory.objects.bounds import StoreLimits

COLLECTING_S = 600.0


def object_store_row(bytes_of: Callable[[Plan], tuple[int, int]]) -> Row:
    """The row of the one actor that owns the store.

    Args:
        bytes_of: Largest size of texts kept of one window, and of all.
    """

    def row(plan: Plan, _parts: Parts) -> Part:
        def build(_key: str) -> Actor:
            from actors.memory.objects.actor import ObjectStoreActor, StoreConfig

            root = plan.settings.data_root if plan.lives else None
            return ObjectStoreActor(StoreConfig(data_root=root, limits=_limits(*bytes_of(plan))))

        return Part(
            spec=ActorSpec(OBJECT_STORE.kind, build),
            checks=(lambda: _findings(plan),),
            operator_verbs={"objects.gc": Verb(OBJECT_STORE, CollectObjects, answer_s=COLLECTING_S)},
        )

    return row


def _findings(plan: Plan) -> Iterable[Finding]:
    from actors.memory.objects.checks import findings

    return findings(plan.settings.data_root)


def _limits(window_bytes: int, total_bytes: int) -> StoreLimits:
    from actors.memory.objects.bounds import StoreLimits

    return StoreLimits(window_bytes=window_bytes, total_bytes=total_bytes)
