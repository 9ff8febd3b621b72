"""Skills by other authors: rules for folders, archives and repositories before and after a skill is added.

Read first `member.py` (allowed names, kinds and sizes), then `examination.py` (findings in a skill's content,
for the deciding person), then `record.py` (hashes of added skills, and differences from the hashes). All is pure.
"""

from __future__ import annotations
