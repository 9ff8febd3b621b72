"""Facts: entries remembered from conversations through the gateway, in files that a person may edit.

Read first `actor.py` (its requests), second `pipeline.py` (the work on a turn: extraction, reconciliation,
summary, eviction, commit) with `turn_work.py` (one turn's steps), third `recall.py` (entries for a question).
`store/` has the files, their catalogue, and the owed work; `index/` their rows and vectors in a database;
`reranking/` judges entries against a question; `embedding.py` is the row of the embedder; `asking.py` runs steps that
wait for other actors. `part.py` alone is loaded while the layer is off.
"""

from __future__ import annotations
