"""Backup and restore of a data root, both verified by hash; the agent may run while a backup is made.

Read first `selection.py` (the copied files and their order: the order is the reason why no acknowledged message is
missing), then `copying.py` (makes a backup), `sums.py` (the hash of each file, for verification) and `restoring.py`
(makes a data root from a backup). A backup without sums was cut short, and is no backup.
`copying.py` alone writes a backup; `restoring.py` alone writes a data root, and holds the root's lock meanwhile.
"""
