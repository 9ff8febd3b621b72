"""Row of the web actor in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from messages.web import WEB, ReadPage, SearchWeb


def row(plan: Plan, _parts: Parts) -> Part:
    """Part of the single actor that reads the web."""

    def build(_key: str) -> Actor:
        from actors.web.actor import WebActor
        from actors.web.config import WebConfig

        return WebActor(WebConfig(api_key=plan.secrets.get("BRAVE_API_KEY", ""), read=plan.settings.web.read))

    return Part(
        spec=ActorSpec(WEB.kind, build, core=True),
        verbs={"web.search": Verb(WEB, SearchWeb), "web.read": Verb(WEB, ReadPage)},
        skills=(SHIPPED_SKILLS / "brave-search",),
    )
