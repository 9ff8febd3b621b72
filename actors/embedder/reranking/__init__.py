"""Reranking: how much each of a few texts bears on a query, as a model says that sees both together.

Read first `actor.py` (who is answered when), then `judge.py` (what judges, and the one on this machine) with
`cross_encoder.py` (its model; the only importer of onnxruntime) and `folder.py` (where its files lie). The other judge
is in `litellm_provider.py`. `part.py` alone is loaded where nothing is reranked.
Only writers: nobody here writes files; each judge owns its connections or its thread.
"""

from __future__ import annotations
