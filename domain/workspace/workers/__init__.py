"""Workers of a workspace: what a model is asked about its files, and what entries its answer makes.

`prompts.py` asks, `consolidation.py` takes in what lasts of turns that are to be cut off.
"""

from __future__ import annotations
