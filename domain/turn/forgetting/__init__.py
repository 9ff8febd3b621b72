"""Forgetting in logs: the events in a scope, all dependent events, and a log without their words.

Read first `scope.py` (the choice of events), second `rewriting.py` (the bytes of a log without the words), third
`fold.py` (a conversation's view of a forgotten record). The form of a forgotten record is `domain/log/forgotten.py`.
All pure; `actors/context/log/forgetting.py` is the only caller that writes.
"""

from __future__ import annotations
