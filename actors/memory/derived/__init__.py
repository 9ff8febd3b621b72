"""Rebuildable databases: the memory's index, the objects' versions, the facts' index.

Read `database.py` first (opens, checks and replaces files; the only opener in the tree), then `owner.py` (base of
actors that own a database), then `audit.py` (faults of a file, for doctor) and `copying.py` (copies for backups). Each
room writes its own file through these modules.
"""
