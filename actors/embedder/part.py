"""Row of the embedder in the table of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan, Row
from domain.memory.space import GOOGLE_KEY, OPENAI_KEY, Provider, Space, embedding_space
from messages.embedder import EMBEDDER, FACTS_EMBEDDER


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


class EmbeddingTable(Protocol):
    """Settings of a layer that has an embedding model of its own."""

    @property
    def embedding_model(self) -> str:
        """As a server names it, or `local`."""

    @property
    def embedding_base_url(self) -> str:
        """The server; empty for `openai_base_url`."""

    @property
    def openai_base_url(self) -> str:
        """The model's server."""

    @property
    def upstream_key(self) -> str:
        """Name of the secret that the server is called with."""


def facts_embedder_row(table_of: Callable[[Plan], EmbeddingTable]) -> Row:
    """Row of the embedder of the layer of facts.

    Args:
        table_of: The layer's settings.
    """

    def row(plan: Plan, _parts: Parts) -> Part | None:
        return Part(spec=_facts_spec(plan, table_of(plan))) if plan.lives else None

    return row


def _facts_spec(plan: Plan, table: EmbeddingTable) -> ActorSpec:
    def build(_key: str) -> Actor:
        from actors.embedder.actor import EmbedderActor
        from actors.embedder.providers import backend_of

        space = _facts_space(table.embedding_model)
        keys = {OPENAI_KEY: plan.secrets.get(table.upstream_key, "")}
        base, timeout_s = table.embedding_base_url or table.openai_base_url, plan.settings.embedder.timeout_s
        return EmbedderActor(
            space=space, backend_of=backend_of(space, api_keys=keys, api_base=base, timeout_s=timeout_s)
        )

    return ActorSpec(FACTS_EMBEDDER.kind, build, is_made_up_for=True)


def _facts_space(model: str) -> Space:
    from actors.embedder.local import is_installed

    if model != "local":
        return Space(Provider.OPENAI, model, 0)
    return embedding_space("local", "", 0, has_google_key=False, has_local_extra=is_installed())


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
