"""Ledger: what every call of a model took, in files of one line a call, and what that comes to.

Read `actor.py`, then `file.py` (how lines are kept); `commands.py` is `/usage`.
Sums are made by `domain.policy.spending`.
"""
