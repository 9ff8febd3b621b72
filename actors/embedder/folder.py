"""Folder of a local model: checks and facts available before the model is loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
_CONFIG = "config.json"
_POOLING = "1_Pooling/config.json"
_MODULES = "modules.json"
_RUN_HERE = frozenset({"Transformer", "Pooling", "Normalize"})
_EPSILON = 1e-12
_LONGEST_JSON = 1024 * 1024
_SAMPLES = 64
_SAMPLE_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Layout:
    """Layout of a folder's model: a BERT whose sentence vector is the mean of the token vectors, or the first."""

    layers: int
    heads: int
    dimensions: int
    tokens: int
    """Longest text in tokens; the rest of a longer text is not seen."""
    takes_first: bool
    """True if the first token's vector is the sentence's; False for the mean of all."""


def layout_of(folder: Path) -> Layout:
    """Layout of the model in a folder of sentence-transformers.

    Raises:
        OSError: a file is missing.
        ValueError: the model is of a kind that cannot be run here; the text names the kind.
    """
    for name in (WEIGHTS, TOKENIZER, _CONFIG):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{name} is missing")
    config = _table(folder / _CONFIG)
    _require(config, "model_type", "bert", default="bert")
    _require(config, "hidden_act", "gelu", default="gelu")
    _require(config, "position_embedding_type", "absolute", default="absolute")
    _require(config, "layer_norm_eps", _EPSILON, default=_EPSILON)
    positions = _whole(config, "max_position_embeddings")
    sentences = _table(folder / "sentence_bert_config.json", may_lack=True)
    longest = sentences.get("max_seq_length")
    _require_modules(folder)
    return Layout(
        layers=_whole(config, "num_hidden_layers"),
        heads=_whole(config, "num_attention_heads"),
        dimensions=_whole(config, "hidden_size"),
        tokens=min(longest, positions) if isinstance(longest, int) and longest > 2 else positions,
        takes_first=_takes_first(_table(folder / _POOLING, may_lack=True)),
    )


def fingerprint_of(folder: Path) -> str:
    """A few letters unique to a model's weights and pooling, at the cost of reading a few pages.

    Raises:
        OSError: the model's files cannot be read.
    """
    file = folder / WEIGHTS
    size = file.stat().st_size
    digest = blake2b(f"{size} {layout_of(folder)}".encode(), digest_size=5)
    with file.open("rb") as weights:
        for sample in range(_SAMPLES):
            weights.seek(sample * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
            digest.update(weights.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def _json(file: Path) -> Any:
    with file.open("rb") as opened:
        data = opened.read(_LONGEST_JSON)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file.name} is not JSON") from error


def _table(file: Path, *, may_lack: bool = False) -> dict[str, Any]:
    value = {} if may_lack and not file.exists() else _json(file)
    if not isinstance(value, dict):
        raise ValueError(f"{file.name} is not a JSON object")
    return value


def _require(config: dict[str, Any], name: str, wanted: object, *, default: object) -> None:
    if (value := config.get(name, default)) != wanted:
        raise ValueError(f"{name} is {value!r}, and only {wanted!r} can be run here")


def _whole(config: dict[str, Any], name: str) -> int:
    value = config.get(name)
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} is {value!r}, and must be a whole number > 0")
    return value


def _require_modules(folder: Path) -> None:
    """Refuse a model with more steps than are implemented here."""
    file = folder / _MODULES
    if not file.exists():
        return
    modules = _json(file)
    known = [module for module in modules if isinstance(module, dict)] if isinstance(modules, list) else []
    kinds = [str(module.get("type")).rpartition(".")[2] for module in known]
    if others := [kind for kind in kinds if kind not in _RUN_HERE]:
        raise ValueError(f"{_MODULES} has {others[0]!r}, which cannot be run here")


def _takes_first(pooling: dict[str, Any]) -> bool:
    modes = [name for name, value in pooling.items() if name.startswith("pooling_mode_") and value is True]
    if not modes or modes == ["pooling_mode_mean_tokens"]:
        return False
    if modes == ["pooling_mode_cls_token"]:
        return True
    raise ValueError(f"pooling is {', '.join(modes)}, and only the mean of the tokens or the first can be taken here")
