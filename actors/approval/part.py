"""Row of the approvals in the table of parts."""

from __future__ import annotations

from actors.approval.commands import DECIDED, LISTED, PRESSES
from actors.approval.config import ApprovalConfig
from actors.approval.notes import FOLDER
from actors.approval.state import ApprovalState
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Verb
from domain.policy.approval import Approve
from messages.shell import APPROVAL, DecideApproval, ListApprovals

VERBS = {
    "approval.list": Verb(APPROVAL, ListApprovals, words=LISTED),
    "approval.decide": Verb(APPROVAL, DecideApproval, words=DECIDED),
}


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The single actor that asks people; None if the settings never ask."""
    shell = plan.settings.shell
    if plan.approve is Approve.NEVER:
        return None
    state = ApprovalState()

    def build(_key: str) -> Actor:
        from actors.approval.actor import ApprovalActor

        config = ApprovalConfig(
            surface=plan.surface,
            operators=frozenset(shell.operators),
            folder=plan.settings.data_root / FOLDER if plan.lives else None,
        )
        return ApprovalActor(config, state)

    return Part(
        spec=ActorSpec(APPROVAL.kind, build, core=True),
        subscribes=True,
        forgets=plan.lives,
        presses=PRESSES,
        operator_verbs={**VERBS},
    )
