from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actors.facts.reranking.folder import LIBRARIES, MODELS, lack_of, model_file
from tests.actors.facts.reranking.rig import folder_in


@pytest.mark.parametrize("name", MODELS)
def test_a_model_lies_where_hugging_face_lays_it(tmp_path: Path, name: str) -> None:
    assert model_file(folder_in(tmp_path, name)) == tmp_path / name


def test_of_several_the_smallest_is_taken(tmp_path: Path) -> None:
    folder_in(tmp_path, "model.onnx")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model_quantized.onnx").write_bytes(b"a smaller one")

    assert model_file(tmp_path) == tmp_path / "onnx" / "model_quantized.onnx"


@pytest.mark.usefixtures("runtime")
def test_what_is_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = folder_in(tmp_path / "whole")

    assert lack_of(whole) == ""
    assert "must be a folder with tokenizer.json and one of model_quantized.onnx" in lack_of(tmp_path)
    (whole / "model.onnx").unlink()
    assert "must be a folder" in lack_of(whole)
    for library in LIBRARIES:
        monkeypatch.setitem(sys.modules, library, None)
    assert lack_of(whole) == "onnxruntime and tokenizers must be installed (pip install onnxruntime tokenizers)"
