"""Objects: the files and outputs seen by a window, and the known facts of each.

Read first `looked.py` (a file at one look) with `path.py` (paths accepted as objects), second `versions.py` (from
looks to versions), third `observing.py` with `commands.py` and `listing.py` (files named by a command and the output).
`diff.py` compares two versions. All pure: the looking is done in `actors/objects/looking.py`.
"""

from __future__ import annotations
