"""Folder of a cross-encoder: where its files lie, and whether they are there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

MODELS = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
"""Where a folder may have its model, the smallest first; as Hugging Face lays out `Xenova/ms-marco-MiniLM-L-6-v2`."""
TOKENIZER = "tokenizer.json"
LIBRARIES = ("onnxruntime", "tokenizers")


def model_file(folder: Path) -> Path | None:
    """The model of a folder; None if it has none."""
    return next((folder / name for name in MODELS if (folder / name).is_file()), None)


def lack_of(folder: Path) -> str:
    """What is missing before the model of a folder can be run, and what to do; empty for nothing."""
    if missing := [library for library in LIBRARIES if importlib.util.find_spec(library) is None]:
        return f"{' and '.join(missing)} must be installed (pip install {' '.join(missing)})"
    if not (folder / TOKENIZER).is_file() or model_file(folder) is None:
        return f"must be a folder with {TOKENIZER} and one of {', '.join(MODELS)}"
    return ""
