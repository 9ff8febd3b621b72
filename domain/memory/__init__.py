"""Memory: what of a log is remembered, what bears on a question, and how much of it a turn is shown.

Read first `remembered.py` with `pins.py` and `hybrid_text.py` (which events become memories), second `hybrid.py` with
`bm25.py`, `keywords.py`, `searchable.py`, `letters.py` and `porter.py` (by meaning and by words), third `ranking.py`,
`injection.py`, `passage.py`, `excerpt.py` (which of the best, and how they stand in a request; `expansion.py` shows
more of one). `vector_codes.py` is the arithmetic of the vector search, `embedding.py` what may be embedded. All pure:
numpy arrays and text, no files; the index belongs to `actors/memory/`.
"""

from __future__ import annotations
