"""Folder of a cross-encoder's files."""

from __future__ import annotations

from pathlib import Path

MODELS = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
"""Where a folder may have its model, the smallest first; as Hugging Face lays out `Xenova/ms-marco-MiniLM-L-6-v2`."""
TOKENIZER = "tokenizer.json"


def model_file(folder: Path) -> Path | None:
    """The model of a folder; None if it has none."""
    return next((folder / name for name in MODELS if (folder / name).is_file()), None)
