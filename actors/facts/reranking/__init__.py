"""Reranking: relevance of a few texts to a query, judged by a model that sees text and query together.

Read first `actor.py` (requests and deadlines), then `judge.py` (the protocol of judges, and the judge on this machine)
with `cross_encoder.py` (its model; the only importer of onnxruntime) and `folder.py` (its files). The other judge is in
`actors/embedder/litellm_provider.py`. `part.py` alone is loaded while reranking is off.
Only writers: no file is written; each judge owns its connections or its thread.
"""

from __future__ import annotations
