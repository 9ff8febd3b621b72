"""Files that people edit with programs of their own while the agent edits them too; no actor, but what actors use.

Read first `rewriting.py` (one edit, step by step) with `queue.py` (edits in their turn, windows' among them), second
`file.py` (a file), third `displaced.py` (what an edit took the place of). Only `access.py` opens what people wrote, and
says what is refused where hostile programs write to the folder; `held_folders.py` holds folders in such a one open, and
by `folder_lock.py` the agent's programs know of one another. What two edits of the same lines come to is decided in
`domain/edit/`.
"""
