"""Cross-encoder on this machine: a model in ONNX that sees query and text together; the only user of onnxruntime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from actors.facts.reranking.folder import TOKENIZER, model_file

MAX_TOKENS = 512
"""Tokens of a query and a text together; longer pairs lose their ends, the longer part first."""
MAX_CHARS = 8_000
"""Characters of the query and of each text, cut before tokens are counted: far beyond 512 tokens."""
BATCH = 8
"""Pairs that go through the model together, of about one length; a stop can take effect between two batches."""
THREADS = 2
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_PADS = ("[PAD]", "<pad>")


def runtime() -> Any:
    """Import the library.

    Raises:
        ImportError: the library is not installed.
    """
    import onnxruntime

    return onnxruntime


class CrossEncoder:
    """Model that gives a logit for each pair; any one thread at a time."""

    def __init__(self, tokenizer: Any, session: Any) -> None:
        """Take the parts; `load` makes them.

        Args:
            tokenizer: Of the package `tokenizers`.
            session: onnxruntime's, of a model with inputs of BERT's.

        Raises:
            ValueError: the model has other inputs.
        """
        self._tokenizer = tokenizer
        self._session = session
        self._inputs = [each.name for each in session.get_inputs()]
        if others := sorted(set(self._inputs) - _INPUTS):
            raise ValueError(f"the model has an input {others[0]!r}, and only {', '.join(sorted(_INPUTS))} are known")

    @classmethod
    def load(cls, folder: Path, library: Any) -> Self:
        """The model of a folder.

        Args:
            folder: With a tokenizer and a model.
            library: onnxruntime.

        Raises:
            OSError: it lacks a file.
            ImportError: a library is not installed.
            ValueError: the files hold no cross-encoder.
        """
        from tokenizers import Tokenizer

        file = model_file(folder)
        if file is None:
            raise FileNotFoundError(f"{folder} has no model")
        text = (folder / TOKENIZER).read_text(encoding="utf-8")
        try:
            tokenizer = Tokenizer.from_str(text)
            session = library.InferenceSession(str(file), _options(library), providers=["CPUExecutionProvider"])
        except Exception as error:  # neither library has exceptions of its own
            raise ValueError(f"the files of {folder} hold no model that can be run: {type(error).__name__}") from error
        tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        pad = next((pad for pad in _PADS if tokenizer.token_to_id(pad) is not None), _PADS[0])
        tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad) or 0, pad_token=pad)
        return cls(tokenizer, session)

    def judge(self, query: str, texts: Sequence[str], goes_on: Callable[[], bool] = lambda: True) -> tuple[float, ...]:
        """A logit for each text, in their order.

        Args:
            query: Of any length.
            texts: The same.
            goes_on: Asked before each batch; where it says no, nothing more is done.

        Raises:
            TimeoutError: `goes_on` said no.
            ValueError: the model gives no logits, or cannot be run.
        """
        pairs = [(_tokens_of(query), _tokens_of(text)) for text in texts]
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][1]))
        scores = np.zeros(len(pairs))
        for start in range(0, len(order), BATCH):
            if not goes_on():
                raise TimeoutError
            batch = order[start : start + BATCH]
            scores[batch] = self._logits([pairs[index] for index in batch])
        if not np.isfinite(scores).all():
            raise ValueError("the model gives scores that are not numbers")
        return tuple(float(score) for score in scores)

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        encoded = self._tokenizer.encode_batch(pairs)
        values: Mapping[str, Sequence[Sequence[int]]] = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {name: np.array(values[name], np.int64) for name in self._inputs}
        try:
            logits = np.asarray(self._session.run(None, fed)[0], np.float64)
        except Exception as error:  # the library's own are no class of their own
            raise ValueError(f"the model cannot be run: {type(error).__name__}") from error
        if logits.shape in ((len(pairs),), (len(pairs), 1)):
            return logits.reshape(len(pairs))
        if logits.shape == (len(pairs), 2):  # "no" and "yes"
            difference: NDArray[np.float64] = logits[:, 1] - logits[:, 0]
            return difference
        raise ValueError(f"the model gives {logits.shape} for {len(pairs)} texts, and must give one score each")


def _options(library: Any) -> Any:
    options = library.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # else they burn a core when at rest
    options.log_severity_level = 3
    return options


def _tokens_of(text: str) -> str:
    """Judged part of a text, without halves of surrogate pairs, since the tokenizer rejects halves."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
