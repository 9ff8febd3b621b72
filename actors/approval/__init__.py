"""Approval: asks a person by buttons before an act that the operator wants asked about.

Read `actor.py`, then `notes.py` (open questions on the disk), `commands.py` (the buttons and the operator's words).
Writer of `approvals/` in the data root. Rules and words are in `domain/policy/approval.py`.
"""
