"""The model on this machine: inputs, and use of the outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.facts.reranking.cross_encoder import BATCH, MAX_TOKENS, CrossEncoder
from tests.actors.facts.reranking.rig import Runtime, folder_in, words_in_common

Fed = dict[str, np.ndarray[Any, Any]]


def encoder(root: Path, **given: Any) -> tuple[CrossEncoder, Runtime]:
    runtime = Runtime(**given)
    return CrossEncoder.load(folder_in(root / "model"), runtime), runtime


@pytest.mark.req("S2-43")
def test_pairs_of_query_and_text_get_raw_logits_in_the_order_of_the_texts(tmp_path: Path) -> None:
    judge, runtime = encoder(tmp_path)

    scores = judge.judge("cats and dogs", ["cats like dogs and cats", "nothing", "dogs"])

    assert scores == (4.0, 0.0, 1.0)
    (fed,) = runtime.fed
    assert {name: values.dtype for name, values in fed.items()} == dict.fromkeys(runtime.inputs, np.dtype(np.int64))
    assert {values.shape for values in fed.values()} == {(3, 11)}
    shortest = {name: values[0].tolist() for name, values in fed.items()}
    assert shortest["attention_mask"] == [1] * 7 + [0] * 4
    assert shortest["token_type_ids"] == [0] * 5 + [1] * 2 + [0] * 4
    assert shortest["input_ids"][7:] == [0] * 4


def test_only_the_inputs_that_the_model_has_are_fed(tmp_path: Path) -> None:
    judge, runtime = encoder(tmp_path, inputs=("attention_mask", "input_ids"))

    judge.judge("a", ["b"])

    assert set(runtime.fed[0]) == {"attention_mask", "input_ids"}


@pytest.mark.parametrize(
    ("query", "text"), [("word", "word " * 5_000), ("word " * 5_000, "word"), ("a " * 600, "b " * 600)]
)
def test_query_and_text_are_cut_to_512_tokens_together(tmp_path: Path, query: str, text: str) -> None:
    judge, runtime = encoder(tmp_path)

    judge.judge(query, [text])

    ids = runtime.fed[0]["input_ids"]
    assert ids.shape == (1, MAX_TOKENS)
    assert np.count_nonzero(ids == 102) == 2


def test_texts_go_in_batches_of_like_length_and_come_back_in_order(tmp_path: Path) -> None:
    judge, runtime = encoder(tmp_path)
    texts = [" ".join(["cat"] * (1 + 7 * number % 30)) for number in range(30)]

    scores = judge.judge("cat", texts)

    assert scores == tuple(float(text.count("cat")) for text in texts)
    assert [len(fed["input_ids"]) for fed in runtime.fed] == [BATCH] * 3 + [30 - 3 * BATCH]
    widths = [fed["input_ids"].shape[1] for fed in runtime.fed]
    assert widths == sorted(widths)
    assert widths[0] < 15


def test_no_texts_have_no_scores(tmp_path: Path) -> None:
    judge, runtime = encoder(tmp_path)

    assert (judge.judge("a", []), runtime.fed) == ((), [])


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=50), st.lists(st.text(max_size=200), max_size=12))
def test_any_words_are_judged(tmp_path_factory: pytest.TempPathFactory, query: str, texts: list[str]) -> None:
    judge, _ = encoder(tmp_path_factory.mktemp("words"))

    assert len(judge.judge(query, [*texts, "\ud800", "\0", ""])) == len(texts) + 3


def test_it_stops_between_two_batches_when_told(tmp_path: Path) -> None:
    judge, runtime = encoder(tmp_path)

    with pytest.raises(TimeoutError):
        judge.judge("a", ["b"] * 100, lambda: len(runtime.fed) < 2)

    assert len(runtime.fed) == 2


def columns(*shape: int, value: float = 0.5) -> Any:
    return lambda fed: np.full((len(fed["input_ids"]), *shape), value, np.float32)


def test_one_number_a_pair_is_taken_without_a_column_too(tmp_path: Path) -> None:
    judge, _ = encoder(tmp_path, model=lambda fed: words_in_common(fed)[:, 0])

    assert judge.judge("cat", ["cat", "dog"]) == (1.0, 0.0)


def test_of_no_and_yes_the_difference_counts(tmp_path: Path) -> None:
    judge, _ = encoder(tmp_path, model=lambda fed: np.array([[1.5, 4.0]] * len(fed["input_ids"]), np.float32))

    assert judge.judge("a", ["b", "c"]) == (2.5, 2.5)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (columns(3), "must give one score each"),
        (columns(512, 384), "must give one score each"),
        (lambda _fed: np.zeros(7), "must give one score each"),
        (lambda _fed: [["a"]], "cannot be run"),
        (columns(1, value=np.nan), "not numbers"),
        (columns(1, value=np.inf), "not numbers"),
        (lambda _fed: 1 / 0, "cannot be run: ZeroDivisionError"),
    ],
    ids=["three", "an embedder", "too many", "words", "NaN", "infinite", "broken"],
)
def test_what_is_no_score_is_told(tmp_path: Path, model: Any, words: str) -> None:
    judge, _ = encoder(tmp_path, model=model)

    with pytest.raises(ValueError, match=words):
        judge.judge("a", ["b", "c"])


def test_a_model_with_other_inputs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="input 'pixel_values'"):
        encoder(tmp_path, inputs=("input_ids", "pixel_values"))


def test_files_that_are_broken_are_a_fault_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no model that can be run"):
        encoder(tmp_path, broken=True)
    folder = folder_in(tmp_path / "other")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="no model that can be run"):
        CrossEncoder.load(folder, Runtime())


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="has no model"):
        CrossEncoder.load(tmp_path, Runtime())
