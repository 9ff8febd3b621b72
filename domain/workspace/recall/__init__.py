"""Recall from a workspace's files: which of their entries a message is shown, and in what form.

`entries.py` takes a file apart, `terms.py` says how telling words are, `question.py` what a message asks for beside its
words, and `addressed.py` whom it is said to; `search.py` chooses, `block.py` and `turn_block.py` are what a turn is
given.
"""

from __future__ import annotations
