"""Memory of everything said: an index derived from the logs, and retrieval of what bears on a question.

Read `actor.py` first (what is asked and answered), then `store.py` (the open memory and what keeps its parts in step),
then `recall/` (the block that a turn gets). `part.py` is its row in the table of parts; `upkeep/` opens, mends and
rebuilds it, and has vectors made.
Rooms: `index/` (the SQLite file), `search/` (which turns bear on a question), `codes/` (the vector engine).
`derived/` opens every database, those of other rooms too. Only `index/` writes `memory/index.sqlite`, only `codes/`
`memory/codes*`, only `search/views.py` `views/`. Nothing here is pure; the rules are in `domain/memory/`.
"""
