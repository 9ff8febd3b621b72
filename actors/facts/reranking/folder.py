"""Folder of a cross-encoder: paths of its files, and a check for missing files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

MODELS = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
"""Possible files of a folder's model, the smallest first; laid out as Hugging Face's
`Xenova/ms-marco-MiniLM-L-6-v2`."""
TOKENIZER = "tokenizer.json"
LIBRARIES = ("onnxruntime", "tokenizers")


def model_file(folder: Path) -> Path | None:
    """Path of a folder's model; None without a model."""
    return next((folder / name for name in MODELS if (folder / name).is_file()), None)


def lack_of(folder: Path) -> str:
    """Missing needs of the model in a folder, and the remedy; empty if the model can be run."""
    if missing := [library for library in LIBRARIES if importlib.util.find_spec(library) is None]:
        return f"{' and '.join(missing)} must be installed (pip install {' '.join(missing)})"
    if not (folder / TOKENIZER).is_file() or model_file(folder) is None:
        return f"must be a folder with {TOKENIZER} and one of {', '.join(MODELS)}"
    return ""
