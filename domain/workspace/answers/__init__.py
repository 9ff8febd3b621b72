"""Answers of a workspace's workers: their form, and what no text of them may have.

`answer_json.py` reads an answer's fields, `guard.py` looks at each text before it may stand in a file.
"""

from __future__ import annotations
