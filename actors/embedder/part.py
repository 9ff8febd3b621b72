"""Row of the embedder in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan
from domain.memory.space import GOOGLE_KEY, Provider
from messages.embedder import EMBEDDER


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the actor that turns text into vectors; None if no part asks for vectors."""
    if not plan.settings.memory.enabled and not plan.embeds:
        return None
    return Part(
        spec=embedder_spec(plan),
        forgets=plan.lives,
        unusable=plan.embedding_problem,
        says_unusable=True,
        checks=(lambda: _look(plan),),
    )


def embedder_spec(plan: Plan) -> ActorSpec:
    """Recipe of the actor; only without an `embedding_problem`."""

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
        hint = f"{space.name}: words are hashed; install the extra `local` (a checkout's bin/agent does)"
        yield Finding("embedder", Level.WARN, hint)
    elif space.provider is Provider.GOOGLE and GOOGLE_KEY not in plan.secrets:
        yield Finding("embedder", Level.FAIL, f"{space.name}: there is no {GOOGLE_KEY}")
    else:
        yield Finding("embedder", Level.OK, space.name)
        if space.provider is Provider.LOCAL:
            yield from look_at_layers("vectors")


def look_at_layers(name: str) -> Iterator[Finding]:
    """Finding on the compilation of the local model's layers."""
    from actors.embedder.encoder.compiled import KINDS, best, built_library

    if kind := best():
        yield Finding(name, Level.OK, f"compiled, for {KINDS[kind]}")
    elif built_library() is not None:
        yield Finding(name, Level.OK, f"in numpy, several times slower: this processor has no {KINDS[1]}")
    else:
        hint = "in numpy, several times slower: install a C compiler, remove .venv/compiled.stamp, restart"
        yield Finding(name, Level.WARN, hint)
