"""Rules of the facts: how entries are spelt and named, found and shown; what a model is asked for and what it answers.

Read first `entry.py` and `folders.py` (files), then `scoring.py` and `injection.py` (from a question to a block), then
`reconcile.py` and `levels.py` (from a turn to facts and summaries). `chat_request.py` and `answer.py` read just as much
of what passes through the gateway as they must. All rules are pure; the package writes no files.
"""

from __future__ import annotations
