from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.bench.recall.vectors import KeptVectors
from tests.lab.bench.recall.conversations import WordModel

TEXTS = ["one two", "three", "one two", "four five six"]


def test_each_text_is_embedded_once_by_each_model_over_all_runs(tmp_path: Path) -> None:
    model, again, other = WordModel(), WordModel(), WordModel()
    other.name = "other"

    before = KeptVectors(model, tmp_path / "new" / "folder").vectors(TEXTS)
    after = KeptVectors(again, tmp_path / "new" / "folder").vectors([*TEXTS, "seven"])
    KeptVectors(other, tmp_path / "new" / "folder").vectors(TEXTS)

    assert sorted(model.texts) == sorted(set(TEXTS))
    np.testing.assert_array_equal(before, WordModel().embed(TEXTS))
    np.testing.assert_array_equal(after[:4], before)
    assert (again.texts, len(other.texts)) == (["seven"], 3)


def test_a_damaged_file_costs_only_the_time_to_embed_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    KeptVectors(WordModel(), tmp_path).vectors(TEXTS)
    [file] = tmp_path.iterdir()
    for content in (b"", b"no vectors", b"\x93NUMPY\x01\x00"):
        file.write_bytes(content)
        for count in (3, 0):
            model = WordModel()
            KeptVectors(model, tmp_path).vectors(TEXTS)
            assert len(model.texts) == count, content
    assert "made again" in caplog.text


def test_without_a_folder_nothing_is_kept_and_progress_counts_new_texts() -> None:
    progress: list[tuple[int, int]] = []
    vectors = KeptVectors(WordModel(), None).vectors(
        [f"text {n}" for n in range(100)], lambda *now: progress.append(now)
    )
    assert vectors.shape == (100, 64)
    assert progress == [(0, 100), (64, 100)]
