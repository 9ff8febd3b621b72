"""Forgetting in logs: which events a scope names, what goes with them, and a log without their words.

Read first `scope.py` (the choice of events), second `rewriting.py` (the bytes of a log without them), third `fold.py`
(what a conversation keeps of a forgotten record). The form of such a record is `domain/log/forgotten.py`. All pure;
`actors/context/log/forgetting.py` is the only caller that writes.
"""

from __future__ import annotations
