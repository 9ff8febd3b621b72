"""Backup and restore of a data root, both verified by hash; the agent may run while a backup is made.

Read first `selection.py` (what of a data root is copied, and in which order: that order is why nothing acknowledged is
missing), then `copying.py` (makes a backup), `sums.py` (the hash of each file, by which it is verified) and
`restoring.py` (makes a data root of one). A backup without its sums was cut short, and is no backup.
`copying.py` alone writes a backup; `restoring.py` alone writes a data root, whose lock it holds meanwhile.
"""
