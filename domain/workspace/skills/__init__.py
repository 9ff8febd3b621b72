"""Skills in a workspace: declarations beyond the descriptions.

Read first `life.py` (permitted declarations), then `path_pattern.py` (patterns of a skill's files) and `hook.py` (the
run of a script, and the usable part of its output).
"""

from __future__ import annotations
