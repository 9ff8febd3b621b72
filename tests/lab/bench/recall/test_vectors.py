from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.bench.recall.vectors import KeptVectors
from tests.lab.bench.recall.conversations import WordModel

TEXTS = ["one two", "three", "one two", "four five six"]


def test_vectors_come_in_the_order_of_the_texts_and_each_text_is_embedded_once(tmp_path: Path) -> None:
    model = WordModel()

    vectors = KeptVectors(model, tmp_path).vectors(TEXTS)

    assert sorted(model.asked) == sorted(set(TEXTS))
    np.testing.assert_array_equal(vectors, WordModel().embed(TEXTS))


def test_what_was_embedded_in_an_earlier_run_is_not_embedded_again(tmp_path: Path) -> None:
    before = KeptVectors(WordModel(), tmp_path / "new" / "folder").vectors(TEXTS)
    model = WordModel()

    after = KeptVectors(model, tmp_path / "new" / "folder").vectors([*TEXTS, "seven"])

    assert model.asked == ["seven"]
    np.testing.assert_array_equal(after[:4], before)


def test_another_model_does_not_get_these_vectors(tmp_path: Path) -> None:
    KeptVectors(WordModel(), tmp_path).vectors(TEXTS)
    other = WordModel()
    other.name = "other"

    KeptVectors(other, tmp_path).vectors(TEXTS)

    assert len(other.asked) == 3


def test_a_damaged_file_costs_only_the_time_to_embed_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    KeptVectors(WordModel(), tmp_path).vectors(TEXTS)
    [file] = tmp_path.iterdir()
    for content in (b"", b"no vectors", b"\x93NUMPY\x01\x00"):
        file.write_bytes(content)
        for asked in (3, 0):
            model = WordModel()
            KeptVectors(model, tmp_path).vectors(TEXTS)
            assert len(model.asked) == asked, content
    assert "made again" in caplog.text


def test_without_a_folder_nothing_is_kept() -> None:
    assert KeptVectors(WordModel(), None).vectors(["a"]).shape == (1, 64)


def test_progress_counts_new_texts(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    KeptVectors(WordModel(), tmp_path).vectors([f"text {n}" for n in range(100)], lambda *now: told.append(now))
    assert told == [(0, 100), (64, 100)]
