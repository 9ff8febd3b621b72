"""Answers of a workspace's workers: the form, and forbidden content.

`answer_json.py` reads an answer's fields, `guard.py` checks each text before it may stand in a file, and
`printed.py` tests if only a command said the text. `refusal.py` words the reason why an answer is not used.
"""

from __future__ import annotations
