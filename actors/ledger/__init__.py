"""Ledger: the cost of every model call, in files of a line per call, and the sums.

Read `actor.py`, then `file.py` (format and storage of lines); `commands.py` is `/usage`.
Sums are made by `domain.policy.spending`.
"""
