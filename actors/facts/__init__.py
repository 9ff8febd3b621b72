"""Facts: what is remembered of conversations that go through the gateway, in files that a person may edit.

Read first `actor.py` (what it is told), second `pipeline.py` (what becomes of a turn: extraction, reconciliation,
summary, eviction, commit) with `turn_work.py` (one turn's steps), third `recall.py` (what belongs to a question).
`store/` has the files, what is known of them, and what is owed; `index/` their rows and vectors in a database;
`reranking/` judges entries against a question; `embedding.py` is the row of the embedder; `asking.py` runs steps that
wait for other actors. `part.py` alone is loaded while the layer is off.
"""

from __future__ import annotations
