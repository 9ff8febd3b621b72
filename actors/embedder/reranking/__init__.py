"""Reranking: how much each of a few texts bears on a query, as a model says that sees both together.

Read first `actor.py`, then `cross_encoder.py` (a model on this machine; the only importer of onnxruntime).
`part.py` alone is loaded where nothing is reranked. Nobody here writes files.
"""

from __future__ import annotations
