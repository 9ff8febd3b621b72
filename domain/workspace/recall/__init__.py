"""Recall from a workspace's files: the entries shown with a message, and their form.

`entries.py` splits a file, `terms.py` weighs words, `question.py` finds a message's requests beside its words, and
`addressed.py` the addressee; `search.py` chooses entries, `block.py` and `turn_block.py` make a turn's block.
"""

from __future__ import annotations
