"""Facts: what is remembered of conversations that go through the gateway, in files that a person may edit.

Read first `actor.py` (what it is told), second `pipeline.py` (what becomes of a turn: extraction, reconciliation,
summary, eviction, commit) with `turn_work.py` (one turn's steps), third `recall.py` (what belongs to a question).
`files.py` alone writes entries, `journal.py` what is owed, `snapshot.py` `memory_index.json`, `git.py` commits;
`catalogue.py` knows which entries there are, `sync.py` compares it with the files, `indexing.py` has it in the index.
`part.py` alone is loaded while the layer is off.
"""

from __future__ import annotations
