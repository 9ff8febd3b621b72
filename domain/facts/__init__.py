"""Rules of the facts: spelling, names, search and display of entries; questions to a model and the answers.

Read first `entry.py` and `folders.py` (files), then `scoring.py` and `injection.py` (from a question to a block), then
`reconcile.py` and `levels.py` (from a turn to facts and summaries). `chat_request.py` and `answer.py` read only the
necessary parts of the gateway's traffic. All rules are pure; the package writes no files.
"""

from __future__ import annotations
