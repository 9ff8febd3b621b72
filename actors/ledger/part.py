"""Row of the ledger in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.ledger.commands import USAGE
from actors.ledger.file import FOLDER
from actors.part import Part, Parts, Plan
from messages.model import LEDGER


def row(plan: Plan, _parts: Parts) -> Part:
    """The single actor that enters usage, the first to start and the last to end; absent from a single turn."""
    folder = plan.settings.data_root / FOLDER if plan.lives and not plan.host else None

    def build(_key: str) -> Actor:
        from actors.ledger.actor import LedgerActor

        return LedgerActor(folder)

    return Part(spec=ActorSpec(LEDGER.kind, build, core=True), commands=(USAGE,))
