"""Profiles: what traffic a load is, as phases that are played on the stages, and what is wanted of them.

Read `profile.py` first (what a profile is), then any of the others; `table.py` names all of them.
"""

from __future__ import annotations
