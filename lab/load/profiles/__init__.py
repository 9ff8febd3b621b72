"""Profiles: kinds of traffic, as phases played on the stages, and the requirements for each.

Read `profile.py` first (the structure of a profile), then `traffic.py` and `windows.py`; `table.py` names all profiles.
"""

from __future__ import annotations
