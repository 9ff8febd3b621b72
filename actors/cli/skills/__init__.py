"""`agent skills`: skills of this agent, and skills by other authors: listed, added, checked, accepted, removed.

Read first `command.py`, then `adding.py` (one skill shown, asked about and installed), then `git.py` (a repository is
fetched without a work tree) and `words.py` (text of all that is shown). `actors/skills/foreign/` writes the files.
"""

from __future__ import annotations

from actors.cli.skills.command import skills

__all__ = ["skills"]
