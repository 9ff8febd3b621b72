"""Memory: the memories in a log, relevance to a question, and the share shown to a turn.

Read first `remembered.py` with `pins.py` and `hybrid_text.py` (events that become memories), second `hybrid.py` with
`bm25.py`, `keywords.py`, `searchable.py`, `letters.py` and `porter.py` (by meaning and by words), third `ranking.py`,
`injection.py`, `passage.py`, `excerpt.py` (choice of the best, and form in a request; `expansion.py` shows
more of a memory). `vector_codes.py` is the arithmetic of the vector search, `embedding.py` the rules of embedding. All
pure: numpy arrays and text, no files; the index belongs to `actors/memory/`.
"""

from __future__ import annotations
