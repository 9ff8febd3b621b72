"""Files edited by people with their own programs and by the agent; no actor, but a library of actors.

Read first `rewriting.py` (one edit, step by step) with `queue.py` (edits in their turn, windows' among them), second
`file.py` (a file), third `displaced.py` (versions replaced by edits). Only `access.py` opens people's files, and
reports refused entries in folders writable by hostile programs; `held_folders.py` holds hostile folders open, and
by `folder_lock.py` the agent's programs know of one another. The result of two edits of the same lines is decided in
`domain/edit/`.
"""
