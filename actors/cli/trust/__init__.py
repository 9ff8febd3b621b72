"""Trust in folders: `agent trust`, which shows the decisions of a folder's files and records them as the user's own.

Read first `command.py` (the command), then `folder.py` (the files of a folder, each read once) and `recording.py`, the
only writer of the list; `own_data.py` lists data roots that the agent makes. The list is read by
`actors.settings.trust`, its rule is `domain.policy.folder_trust`.
"""

from __future__ import annotations

from actors.cli.trust.command import trust

__all__ = ["trust"]
