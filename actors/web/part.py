"""Row of the web actor in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from domain.policy.approval import APPROVED_ANSWER_S, needs_approval
from messages.web import WEB, ReadPage, SearchWeb


def row(plan: Plan, _parts: Parts) -> Part:
    """Part of the single actor that reads the web."""
    asks_first = needs_approval(plan.approve, leaves_sandbox=True)
    answer_s = APPROVED_ANSWER_S if asks_first else None

    def build(_key: str) -> Actor:
        from actors.web.actor import WebActor
        from actors.web.config import WebConfig

        config = WebConfig(
            api_key=plan.secrets.get("BRAVE_API_KEY", ""), read=plan.settings.web.read, asks_first=asks_first
        )
        return WebActor(config)

    return Part(
        spec=ActorSpec(WEB.kind, build, core=True),
        verbs={"web.search": Verb(WEB, SearchWeb, answer_s), "web.read": Verb(WEB, ReadPage, answer_s)},
        skills=(SHIPPED_SKILLS / "brave-search",),
    )
