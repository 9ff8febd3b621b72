"""Objects: the files and outputs that a window has seen, and what is known of each.

Read first `looked.py` (a file as one look saw it) with `path.py` (what may be called one), second `versions.py` (what
becomes of looks), third `observing.py` with `commands.py` and `listing.py` (which files a command and its output name).
`diff.py` tells two versions apart. All pure: the looking itself is `actors/objects/looking.py`.
"""

from __future__ import annotations
