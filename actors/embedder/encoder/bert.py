"""A BERT encoder: first states of tokens, and the layers above, compiled where possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from actors.embedder.encoder.compiled import CompiledLayers
from actors.embedder.encoder.plain import Floats, PlainLayers, norm_of, normalise_rows

WORDS = "embeddings.word_embeddings.weight"
"""Name of a model's largest weights, of which a text needs a few rows."""


class Bert:
    """BERT encoder of sentences laid end to end in one matrix, without padding."""

    def __init__(self, weights: Mapping[str, Floats], *, layers: int, heads: int, may_compile: bool = True) -> None:
        """Take the weights, by the names that PyTorch's BertModel gives them.

        Args:
            weights: Each is read once.
            layers: Number of layers.
            heads: Attention heads of each layer.
            may_compile: True to use the compiled layers if available.

        Raises:
            KeyError: a weight is missing.
            ValueError: a weight is not finite, or of a wrong shape.
        """
        self.words = weights[WORDS]
        self.positions: Floats = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = norm_of(weights, "embeddings.LayerNorm")
        compiled = CompiledLayers.build(weights, layers=layers, heads=heads) if may_compile else None
        self.layers = compiled or PlainLayers(weights, layers=layers, heads=heads)

    @property
    def dimensions(self) -> int:
        """Components of a token's vector."""
        return int(self.words.shape[1])

    @property
    def kind(self) -> str:
        """Kind of the layers: `numpy`, or the instruction set of the compiled layers."""
        return self.layers.kind

    def token_vectors(self, sentences: Sequence[Sequence[int]], between: Callable[[], None] = lambda: None) -> Floats:
        """Last hidden states of all tokens, sentence after sentence.

        Args:
            sentences: Token ids, each with at least one; of one length side by side is fastest.
            between: Called before each layer; may wait.

        Returns:
            (tokens of all sentences, dimensions).
        """
        lengths = [len(sentence) for sentence in sentences]
        ids = np.fromiter((token for sentence in sentences for token in sentence), np.int64, sum(lengths))
        state: Floats = self.words[ids]
        at = 0
        for length in lengths:
            state[at : at + length] += self.positions[:length]
            at += length
        return self.layers.run(normalise_rows(state, self._norm), lengths, between)
