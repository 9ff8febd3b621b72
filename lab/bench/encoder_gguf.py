"""Sentence encoder of this project as a file in GGUF, for llama.cpp: the same weights, tokens and pooling."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LAYERS, HEADS, DIMENSIONS, INNER, POSITIONS = 6, 12, 384, 1_536, 512
"""Shape of all-MiniLM-L6-v2."""
_ALIGNMENT = 32
_BLOCK = 32
"""Weights with a common factor, in eight bits each."""
_FLOATS, _EIGHT_BITS = 0, 8
"""Types of tensors."""
_NUMBER, _FLOAT, _TRUTH, _TEXT, _LIST, _SIGNED = 4, 6, 7, 8, 9, 5
"""Types of values."""
_MEAN = 1
_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""Prefix of a token at the beginning of a word."""
_OUTSIDE = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
_IN_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def write_gguf(into: Path, weights: Mapping[str, Floats], tokenizer: Mapping[str, Any]) -> None:
    """Write the model, with matrices in eight bits.

    Args:
        into: New file.
        weights: Weights by the names in PyTorch's BertModel.
        tokenizer: Content of tokenizer.json.
    """
    values, heads, body = list(_values(tokenizer)), bytearray(), bytearray()
    names = {**_OUTSIDE, **dict(_layer_names())}
    for name, here in names.items():
        weight = weights[name].astype(np.float32)
        is_matrix = weight.ndim > 1 and here not in ("position_embd.weight", "token_types.weight")
        kind, raw = (_EIGHT_BITS, _eight_bits(weight)) if is_matrix else (_FLOATS, weight.tobytes())
        shape = struct.pack(f"<I{weight.ndim}Q", weight.ndim, *reversed(weight.shape))
        heads += _text(here) + shape + struct.pack("<IQ", kind, len(body))
        body += raw + bytes(-len(raw) % _ALIGNMENT)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(names), len(values)) + b"".join(values) + bytes(heads)
    into.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + body)


def _layer_names() -> Iterator[tuple[str, str]]:
    for layer in range(LAYERS):
        for name, here in _IN_LAYER.items():
            for part in ("weight", "bias"):
                yield f"encoder.layer.{layer}.{name}.{part}", f"blk.{layer}.{here}.{part}"


def _values(tokenizer: Mapping[str, Any]) -> Iterator[bytes]:
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    special = {str(token["content"]) for token in tokenizer["added_tokens"]}
    yield _text("general.architecture") + struct.pack("<I", _TEXT) + _text("bert")
    numbers = {
        "context_length": POSITIONS,
        "embedding_length": DIMENSIONS,
        "feed_forward_length": INNER,
        "block_count": LAYERS,
        "attention.head_count": HEADS,
        "pooling_type": _MEAN,
    }
    yield from (_text(f"bert.{name}") + struct.pack("<II", _NUMBER, value) for name, value in numbers.items())
    yield _text("bert.attention.layer_norm_epsilon") + struct.pack("<If", _FLOAT, 1e-12)
    yield _text("bert.attention.causal") + struct.pack("<I?", _TRUTH, False)
    yield _text("tokenizer.ggml.model") + struct.pack("<I", _TEXT) + _text("bert")
    words = [_text(_word_of(token, is_special=token in special or token.startswith("[unused"))) for token in tokens]
    yield _text("tokenizer.ggml.tokens") + struct.pack("<IIQ", _LIST, _TEXT, len(words)) + b"".join(words)
    kinds = np.array([3 if token in special else 1 for token in tokens], np.int32)
    yield _text("tokenizer.ggml.token_type") + struct.pack("<IIQ", _LIST, _SIGNED, len(kinds)) + kinds.tobytes()
    ids = {"bos": "[CLS]", "cls": "[CLS]", "eos": "[SEP]", "seperator": "[SEP]", "unknown": "[UNK]", "padding": "[PAD]"}
    for name, token in ids.items():
        yield _text(f"tokenizer.ggml.{name}_token_id") + struct.pack("<II", _NUMBER, vocabulary[token])
    yield _text("tokenizer.ggml.token_type_count") + struct.pack("<II", _NUMBER, 2)


def _word_of(token: str, *, is_special: bool) -> str:
    if is_special:
        return token
    return token[2:] if token.startswith("##") else _SPACE + token


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _eight_bits(weight: Floats) -> bytes:
    """Blocks of weights in whole numbers of eight bits, each block with its factor in half precision."""
    blocks = weight.reshape(-1, _BLOCK)
    factors = np.abs(blocks).max(axis=1, keepdims=True) / 127
    numbers = np.rint(blocks / np.where(factors == 0, 1, factors)).astype(np.int8)
    packed = np.empty((len(blocks), 2 + _BLOCK), np.uint8)
    packed[:, :2] = factors.astype(np.float16).view(np.uint8).reshape(-1, 2)
    packed[:, 2:] = numbers.view(np.uint8)
    return packed.tobytes()


def tokenizer_in(folder: Path) -> dict[str, Any]:
    """Content of a model's tokenizer.json."""
    content: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    return content
