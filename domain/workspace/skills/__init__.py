"""Skills in a workspace: declarations beyond the descriptions.

Read first `life.py` (what may be declared), then `path_pattern.py` (which files it is about) and `hook.py` (how a
script is run, and what counts of its words).
"""

from __future__ import annotations
