"""Retrieval: which turns bear on a question, and which of these may be shown where.

Read `search.py` first (a pool, ranked by the source's formula), then `hybrid.py` (the pool by meaning, words and
neighbours), then `visibility.py` (who may see a row). `vocabulary.py` and `lengths.py` do BM25 on the keyword index,
`order.py` knows neighbours, `distances.py` stands in for the vector engine; `exhaustive.py` ranks every row.
This room only reads the index and writes nothing. Nothing here is pure; the formulas are in `domain/memory/`.
"""
