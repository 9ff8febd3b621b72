"""Trust in folders: `agent trust` shows the decisions of a folder's files and records the user's trust.

Read first `command.py` (the command), then `folder.py` (the files of a folder, each read once) and `recording.py`, the
only writer of the list; `own_data.py` lists data roots made by the agent. `actors.settings.trust` reads the list, and
the rule is in `domain.policy.folder_trust`.
"""

from __future__ import annotations

from actors.cli.trust.command import trust

__all__ = ["trust"]
