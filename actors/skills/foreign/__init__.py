"""Skills by other authors: read from a folder or an archive, examined, and added to a folder of skills.

Read first `source.py` (members of a source), then `package.py` (the chosen skill, with its findings), then
`store.py`, the only writer of `skills/` in the data root, with the record of hashes there.
No code of a skill runs here, and a source is read whole into memory before any writing.
"""

from __future__ import annotations
