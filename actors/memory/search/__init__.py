"""Retrieval: turns relevant to a question, and the readership of each.

Read `search.py` first (a pool, ranked by the source's formula), then `hybrid.py` (the pool by meaning, words and
neighbours), then `visibility.py` (access to a row). `vocabulary.py` and `lengths.py` do BM25 on the keyword index,
`order.py` knows neighbours, `distances.py` stands in for the vector engine; `exhaustive.py` ranks every row.
This room only reads the index and never writes. No module here is pure; the formulas are in `domain/memory/`.
"""
