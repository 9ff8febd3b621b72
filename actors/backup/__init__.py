"""Backup and restore of a data root, both verified by hash; the agent may run while a backup is made.

Read first `manifest.py` (what a backup consists of, with a hash for each file), then `selection.py` (what of a data
root is copied, and in which order: that order is why nothing acknowledged is missing), then `copying.py` (makes a
backup) and `restoring.py` (makes a data root of one). A backup without its manifest was cut short, and is no backup.
`copying.py` alone writes a backup; `restoring.py` alone writes a data root, whose lock it holds meanwhile.
"""
