"""Row of the embedder of the layer of facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.embedder.part import look_at_layers
from actors.facts.table import FactsTable
from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan, folder_of
from domain.memory.space import LOCAL, OPENAI_KEY, Provider, Space, embedding_space, folder_model
from messages.embedder import FACTS_EMBEDDER


def embedder_row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the actor; None for the one turn of a command line."""
    if not plan.lives:
        return None
    table = plan.settings.table(FactsTable)
    folder = folder_of(table.embedding_model, plan.settings.data_root)
    return Part(
        spec=_spec(plan, table, folder),
        unusable=_problem_of_folder(table.embedding_model, folder),
        checks=(lambda: _look(table, folder),),
    )


def _spec(plan: Plan, table: FactsTable, folder: Path | None) -> ActorSpec:
    def build(_key: str) -> Actor:
        from actors.embedder.actor import EmbedderActor
        from actors.embedder.providers import backend_of

        space = _space(table.embedding_model, folder)
        keys = {OPENAI_KEY: plan.secrets.get(table.upstream_key, "")}
        base, timeout_s = table.embedding_base_url or table.openai_base_url, plan.settings.embedder.timeout_s
        return EmbedderActor(
            space=space, backend_of=backend_of(space, api_keys=keys, api_base=base, timeout_s=timeout_s, folder=folder)
        )

    return ActorSpec(FACTS_EMBEDDER.kind, build, is_made_up_for=True)


def _space(model: str, folder: Path | None) -> Space:
    from actors.embedder.folder import fingerprint_of, layout_of
    from actors.embedder.local import is_installed

    if folder is not None:
        return Space(Provider.LOCAL, folder_model(folder.name, fingerprint_of(folder)), layout_of(folder).dimensions)
    if model == LOCAL:
        return embedding_space(LOCAL, "", 0, has_google_key=False, has_local_extra=is_installed())
    return Space(Provider.OPENAI, model, 0)


def _problem_of_folder(name: str, folder: Path | None) -> str:
    """Reason why a folder's model cannot be run, and a remedy; empty if runnable, or if no model is wanted."""
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


def _look(table: FactsTable, folder: Path | None) -> Iterator[Finding]:
    if _problem_of_folder(table.embedding_model, folder):
        return  # doctor says it
    if folder is None and table.embedding_model != LOCAL:
        server = table.embedding_base_url or table.openai_base_url or "no server"
        yield Finding("facts' embedder", Level.OK, f"{table.embedding_model} at {server}")
        return
    space = _space(table.embedding_model, folder)
    if space.provider is Provider.HASHED:
        yield Finding("facts' embedder", Level.WARN, f"{space.name}: words are hashed; install the extra `local`")
    else:
        yield Finding("facts' embedder", Level.OK, space.name)
        yield from look_at_layers("facts' vectors")
