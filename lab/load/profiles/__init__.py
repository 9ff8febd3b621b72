"""Profiles: what traffic a load is, as phases that are played on the stages, and what is wanted of them.

Read `profile.py` first (what a profile is), then `traffic.py` and `windows.py`; `table.py` names all profiles.
"""

from __future__ import annotations
