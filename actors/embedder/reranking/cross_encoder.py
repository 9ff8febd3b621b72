"""Cross-encoder on this machine: a model in ONNX that sees query and text together; the only user of onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from actors.embedder.reranking.model_folder import TOKENIZER, model_file

MAX_TOKENS = 512
"""Of a query and a text together; the rest of a longer text is not seen."""


class CrossEncoder:
    """Model that gives a logit for each pair."""

    def __init__(self, tokenizer: Any, session: Any) -> None:
        """Take the parts; `load` makes them.

        Args:
            tokenizer: Of the package `tokenizers`.
            session: onnxruntime's, of a model with the inputs of BERT.
        """
        self._tokenizer = tokenizer
        self._session = session
        self._inputs = [each.name for each in session.get_inputs()]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The model of a folder.

        Raises:
            OSError: it lacks a file.
            ImportError: a library is not installed.
        """
        import onnxruntime
        from tokenizers import Tokenizer

        file = model_file(folder)
        if file is None:
            raise FileNotFoundError(f"{folder} has no model")
        tokenizer = Tokenizer.from_str((folder / TOKENIZER).read_text(encoding="utf-8"))
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        tokenizer.enable_padding()
        return cls(tokenizer, onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"]))

    def judge(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """A logit for each text, in their order."""
        pairs = [(_whole(query), _whole(text)) for text in texts]
        encoded = self._tokenizer.encode_batch(pairs)
        values = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {name: np.array(values[name], dtype=np.int64) for name in self._inputs}
        (logits, *_) = self._session.run(None, fed)
        return tuple(float(value) for value in np.asarray(logits).reshape(len(texts), -1)[:, -1])


def _whole(text: str) -> str:
    """Without halves of surrogate pairs, which the tokenizer does not take."""
    return text.encode("utf-8", "replace").decode("utf-8")
