"""Row of the embedder in the table of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan, Row, folder_of
from domain.memory.space import GOOGLE_KEY, LOCAL, OPENAI_KEY, Provider, Space, embedding_space, folder_model
from messages.embedder import EMBEDDER, FACTS_EMBEDDER


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the actor that turns text into vectors; None if no part asks for vectors."""
    if not plan.settings.memory.enabled and not plan.embeds:
        return None
    return Part(
        spec=embedder_spec(plan),
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


class EmbeddingTable(Protocol):
    """Settings of a layer that has an embedding model of its own."""

    @property
    def embedding_model(self) -> str:
        """As a server names it; `local`; or the folder of a local model, relative to the data root."""

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
        if not plan.lives:
            return None
        table = table_of(plan)
        folder = folder_of(table.embedding_model, plan.settings.data_root)
        return Part(
            spec=_facts_spec(plan, table, folder),
            unusable=_problem_of_folder(table.embedding_model, folder),
            checks=(lambda: _look_at_facts(table, folder),),
        )

    return row


def _facts_spec(plan: Plan, table: EmbeddingTable, folder: Path | None) -> ActorSpec:
    def build(_key: str) -> Actor:
        from actors.embedder.actor import EmbedderActor
        from actors.embedder.providers import backend_of

        space = _facts_space(table.embedding_model, folder)
        keys = {OPENAI_KEY: plan.secrets.get(table.upstream_key, "")}
        base, timeout_s = table.embedding_base_url or table.openai_base_url, plan.settings.embedder.timeout_s
        return EmbedderActor(
            space=space, backend_of=backend_of(space, api_keys=keys, api_base=base, timeout_s=timeout_s, folder=folder)
        )

    return ActorSpec(FACTS_EMBEDDER.kind, build, is_made_up_for=True)


def _facts_space(model: str, folder: Path | None) -> Space:
    from actors.embedder.folder import fingerprint_of, layout_of
    from actors.embedder.local import is_installed

    if folder is not None:
        return Space(Provider.LOCAL, folder_model(folder.name, fingerprint_of(folder)), layout_of(folder).dimensions)
    if model == LOCAL:
        return embedding_space(LOCAL, "", 0, has_google_key=False, has_local_extra=is_installed())
    return Space(Provider.OPENAI, model, 0)


def _problem_of_folder(name: str, folder: Path | None) -> str:
    """Why the model of a folder cannot be run, and what to do; empty where it can, or none is wanted."""
    if folder is None:
        return ""
    from actors.embedder.folder import layout_of
    from actors.embedder.local import missing_libraries

    if missing := missing_libraries(folder):
        return f"facts.embedding_model {name!r}: needs {' and '.join(missing)}; install the extra 'local'"
    try:
        layout_of(folder)
    except (OSError, ValueError) as error:
        return (
            f"facts.embedding_model {name!r}: must be a folder with a BERT sentence encoder (config.json, "
            f"tokenizer.json, model.safetensors) or no folder's name: {error}"
        )
    return ""


def _look_at_facts(table: EmbeddingTable, folder: Path | None) -> Iterator[Finding]:
    if _problem_of_folder(table.embedding_model, folder):
        return  # doctor says it
    if folder is None and table.embedding_model != LOCAL:
        server = table.embedding_base_url or table.openai_base_url or "no server"
        yield Finding("facts' embedder", Level.OK, f"{table.embedding_model} at {server}")
        return
    space = _facts_space(table.embedding_model, folder)
    if space.provider is Provider.HASHED:
        yield Finding("facts' embedder", Level.WARN, f"{space.name}: words are hashed; install the extra `local`")
    else:
        yield Finding("facts' embedder", Level.OK, space.name)
        yield from _look_at_layers("facts' vectors")


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
            yield from _look_at_layers("vectors")


def _look_at_layers(name: str) -> Iterator[Finding]:
    """Finding on the compilation of the local model's layers."""
    from actors.embedder.encoder.compiled import KINDS, best, found

    if kind := best():
        yield Finding(name, Level.OK, f"compiled, for {KINDS[kind]}")
    elif found() is not None:
        yield Finding(name, Level.OK, f"in numpy, several times slower: this processor has no {KINDS[1]}")
    else:
        hint = "in numpy, several times slower: install a C compiler, remove .venv/compiled.stamp, start anew"
        yield Finding(name, Level.WARN, hint)
