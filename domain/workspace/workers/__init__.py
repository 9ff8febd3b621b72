"""Workers of a workspace: questions to a model about the workspace's files, and entries from the answer.

`prompts.py` asks, `consolidation.py` takes in the lasting facts of turns to be cut off.
"""

from __future__ import annotations
