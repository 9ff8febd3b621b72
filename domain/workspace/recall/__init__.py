"""Recall from a workspace's files: which of their entries a message is shown, and in what form.

`entries.py` takes a file apart, `terms.py` and `common_words.py` say how telling words are, `intent.py` and `go_on.py`
what a message asks for without words, `go_on_latin.py` and `go_on_cjk.py` how people say that work goes on, and
`addressed.py` whom it is said to; `search.py` chooses, `block.py` and `turn_block.py` are what a turn is given.
"""

from __future__ import annotations
