"""Store of the facts: files that are the truth, what is known of them, and what is told of them to others.

Read first `keeper.py` (a change, made everywhere), second `files.py` (entries on the disk), third
`catalogue.py` and `sync.py` (what is known, and what somebody else changed). `journal.py` has what is owed for turns,
`snapshot.py` `memory_index.json`, `indexing.py` the queue before the index, `naming.py` ids, `front_matter.py` YAML
as people write it. `watcher.py` sees edits,
`git.py` commits. Only `files.py`, `journal.py`, `snapshot.py` and `git.py` write.
"""

from __future__ import annotations
