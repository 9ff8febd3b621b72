"""Rows of the embedders: which actor there is, and which model, server and key it has, by the settings."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.embedder.folder import fingerprint_of
from actors.embedder.local import model_folder
from actors.embedder.own import LocalBackend
from actors.facts.embedding import embedder_row
from actors.kernel import ActorSystem
from actors.part import Finding, Level, Part, Parts, Plan
from actors.parts import settings_tables
from actors.settings.load import load
from messages.base import RequestId
from messages.embedder import FACTS_EMBEDDER, EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from tests.actors.embedder.loopback import LoopbackEmbeddings
from tests.actors.embedder.rig import DIMENSIONS
from tests.patience import PATIENCE_S


def plan_of(root: Path, secrets: Mapping[str, str] | None = None, **facts: object) -> Plan:
    """The plan of an agent that lives, with the layer."""
    given = {"data_root": str(root / "data"), "layers.facts": True} | {
        f"facts.{key}": value for key, value in facts.items()
    }
    settings = load(environ={}, folder=root, overrides=given, tables=settings_tables())
    return agent_plan(settings, secrets or {}, ActorSystem(workers=0), None)


def part_of(plan: Plan) -> Part:
    part = embedder_row(plan, Parts(plan, ()))
    assert part is not None
    return part


def findings_of(part: Part) -> list[Finding]:
    return [finding for check in part.checks for finding in check()]


def answer(part: Part, text: str = "text") -> TextsEmbedded | EmbeddingFailed:
    """Answer of the part's actor after a fresh start."""
    system = ActorSystem(workers=2)
    system.register(part.spec)
    system.start()
    try:
        edge = system.edge("test")
        request = EmbedTexts(
            request_id=RequestId("r"), reply_to=edge.address, texts=(text,), role=TextRole.DOCUMENT, deadline_s=None
        )
        system.tell(FACTS_EMBEDDER, request)
        message = edge.receive(PATIENCE_S)
    finally:
        system.stop()
    assert isinstance(message, TextsEmbedded | EmbeddingFailed)
    return message


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the installed model's files."""
    place = tmp_path / "data" / "models" / "minilm"
    place.mkdir(parents=True)
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        (place / file).symlink_to(model_folder() / file)
    return place


def test_the_embedder_of_the_facts_is_not_core_and_has_an_address_of_its_own(tmp_path: Path) -> None:
    part = part_of(plan_of(tmp_path))

    assert (part.spec.kind, part.spec.core, part.unusable) == ("facts-embedder", False, "")
    assert part.address == FACTS_EMBEDDER


@pytest.mark.req("S2-32", "S2-87")
def test_a_models_name_is_asked_of_the_embedding_server_with_the_upstreams_key(
    tmp_path: Path, server: LoopbackEmbeddings
) -> None:
    plan = plan_of(
        tmp_path,
        {"UP_API_KEY": "sk-up", "OPENAI_API_KEY": "sk-other"},
        openai_base_url="http://127.0.0.1:1/v1",
        embedding_base_url=f"{server.address}/e",
        upstream_key="UP_API_KEY",
    )

    said = answer(part_of(plan))

    assert isinstance(said, TextsEmbedded)
    assert said.model == f"openai/text-embedding-3-small/{DIMENSIONS}"
    (seen,) = server.seen
    assert (seen.path, seen.headers["authorization"]) == ("/e/embeddings", "Bearer sk-up")
    assert seen.body["model"] == "text-embedding-3-small"


@pytest.mark.parametrize(
    "name", ["text-embedding-3-large", "BAAI/bge-small-en", "/no/such/folder", "~nobody/x", "x" * 900 + "/"]
)
def test_any_other_name_is_the_models_servers(tmp_path: Path, server: LoopbackEmbeddings, name: str) -> None:
    plan = plan_of(tmp_path, openai_base_url=f"{server.address}/v1", embedding_model=name)

    said = answer(part_of(plan))

    assert isinstance(said, TextsEmbedded)
    assert said.model == f"openai/{name}/{DIMENSIONS}"
    (seen,) = server.seen
    assert (seen.path, seen.body["model"]) == ("/v1/embeddings", name)
    assert "authorization" not in seen.headers


def test_local_is_the_installed_model(tmp_path: Path) -> None:
    part = part_of(plan_of(tmp_path, embedding_model="local"))

    said = answer(part)

    assert isinstance(said, TextsEmbedded)
    assert said.model == "local/all-MiniLM-L6-v2/384"
    assert [finding.level for finding in findings_of(part)][:1] == [Level.OK]
    assert [finding.name for finding in findings_of(part)] == ["facts' embedder", "facts' vectors"]


def test_local_is_hashed_words_where_the_extra_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    part = part_of(plan_of(tmp_path, embedding_model="local"))

    said = answer(part)

    assert isinstance(said, TextsEmbedded)
    assert said.model == "hashed-words-v1/384"
    assert [finding.level for finding in findings_of(part)] == [Level.WARN]


@pytest.mark.req("S2-87")
def test_a_folders_model_is_run_here_and_named_by_its_weights(tmp_path: Path, folder: Path) -> None:
    for name in (str(folder), "models/minilm"):
        part = part_of(plan_of(tmp_path, embedding_model=name))

        said = answer(part)

        assert part.unusable == ""
        assert isinstance(said, TextsEmbedded)
        assert said.model == f"local/minilm@{fingerprint_of(folder)}/384"
        assert [finding.level for finding in findings_of(part)][:1] == [Level.OK]
        assert [finding.name for finding in findings_of(part)] == ["facts' embedder", "facts' vectors"]


def test_a_folder_without_a_model_that_can_be_run_is_refused_with_the_reason(tmp_path: Path, folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").write_text('{"model_type": "mpnet"}')

    part = part_of(plan_of(tmp_path, embedding_model=str(folder)))

    assert f"facts.embedding_model {str(folder)!r}: must be a folder with a BERT sentence encoder" in part.unusable
    assert "model_type is 'mpnet'" in part.unusable
    assert findings_of(part) == []


def test_a_folder_where_the_libraries_are_missing_is_refused_with_the_reason(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)

    part = part_of(plan_of(tmp_path, embedding_model=str(folder)))

    assert "needs tokenizers; install the extra 'local'" in part.unusable


def test_without_a_server_every_text_is_refused_at_once(tmp_path: Path) -> None:
    said = answer(part_of(plan_of(tmp_path)))

    assert isinstance(said, EmbeddingFailed)
    assert said.is_permanent
    assert "address of its server" in said.reason


def test_two_embedders_of_one_local_model_share_its_weights() -> None:
    async def model(backend: LocalBackend) -> object:
        return await backend.model()

    first, second = LocalBackend(), LocalBackend()

    assert asyncio.run(model(first)) is asyncio.run(model(second))
