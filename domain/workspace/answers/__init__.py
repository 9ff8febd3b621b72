"""Answers of a workspace's workers: their form, and what no text of them may have.

`answer_json.py` reads an answer's fields, `guard.py` looks at each text before it may stand in a file, and
`printed.py` whether anybody but a command said it. `refusal.py` words why an answer is not used.
"""

from __future__ import annotations
