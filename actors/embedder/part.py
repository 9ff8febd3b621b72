"""Row of the embedder in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan
from domain.memory.space import GOOGLE_KEY, Provider
from messages.embedder import EMBEDDER


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The one actor that turns text into vectors; none where nobody asks it."""
    if not plan.settings.memory.enabled and not plan.embeds:
        return None
    return Part(
        spec=embedder_spec(plan),
        unusable=plan.embedding_problem,
        says_unusable=True,
        checks=(lambda: _look(plan),),
    )


def embedder_spec(plan: Plan) -> ActorSpec:
    """How the actor is made; only where there is no `embedding_problem`."""

    def build(_key: str) -> Actor:
        from actors.embedder.actor import EmbedderActor
        from actors.embedder.providers import backend_of

        space, embedder = plan.space(), plan.settings.embedder
        backend = backend_of(space, api_keys=plan.secrets, api_base=embedder.api_base, timeout_s=embedder.timeout_s)
        return EmbedderActor(space=space, backend_of=backend)

    return ActorSpec(EMBEDDER.kind, build, core=True, is_made_up_for=True)


def _look(plan: Plan) -> Iterator[Finding]:
    if plan.embedding_problem:
        yield Finding("embedder", Level.FAIL, plan.embedding_problem)
        return
    space = plan.space()
    if space.provider is Provider.HASHED:
        hint = f"{space.name}: words are hashed; install the extra `local` (bin/agent does)"
        yield Finding("embedder", Level.WARN, hint)
    elif space.provider is Provider.GOOGLE and GOOGLE_KEY not in plan.secrets:
        yield Finding("embedder", Level.FAIL, f"{space.name}: there is no {GOOGLE_KEY}")
    else:
        yield Finding("embedder", Level.OK, space.name)
