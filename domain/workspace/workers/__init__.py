"""Workers of a workspace: what a model is asked about its files, and what of its answer may be written.

`prompts.py` asks, `answer_json.py` reads, `guard.py` looks at each text, `consolidation.py` makes entries of it.
"""

from __future__ import annotations
