"""Store of the facts: files as the truth, a catalogue of their entries, and updates for the index.

Read first `keeper.py` (a change, made everywhere), second `files.py` (entries on the disk), third `catalogue.py` and
`sync.py` (entries in memory, and changes by other programs). `journal.py` has the unfinished work of turns,
`recent.py` the turns that a client may ask for again, `memory_folder.py` the lock, `copies.py` copies by sync
programs, `snapshot.py` `memory_index.json`, `indexing.py` the queue before the index, `naming.py` ids,
`front_matter.py` YAML as people write it. `watcher.py` sees edits, `git.py` commits. Only `files.py`, `journal.py`,
`memory_folder.py`, `snapshot.py` and `git.py` write.
"""

from __future__ import annotations
