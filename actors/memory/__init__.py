"""Memory of all conversations: an index derived from the logs, and retrieval of turns relevant to a question.

Read `actor.py` first (requests and answers), then `store.py` (the open memory, with its parts in step), then `recall/`
(the block for a turn). `part.py` is the memory's row in the table of parts; `upkeep/` opens, mends and rebuilds the
memory, and has vectors made. Rooms: `index/` (the SQLite file), `search/` (turns relevant to a question), `codes/` (the
vector engine). `derived/` opens every database, including the databases of other rooms. Only `index/` writes
`memory/index.sqlite`, only `codes/` `memory/codes*`, only `search/views.py` `views/`. No module here is pure; the rules
are in `domain/memory/`.
"""
