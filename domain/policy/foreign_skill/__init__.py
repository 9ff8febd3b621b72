"""Skills by other authors: rules for folders, archives and repositories before and after such a skill is added.

Read first `member.py` (names, kinds and sizes that are allowed), then `examination.py` (findings in a skill's content,
for the person who decides), then `record.py` (hashes of added skills, and the differences from them). All is pure.
"""

from __future__ import annotations
