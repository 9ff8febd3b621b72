"""Edits of files that people and the agent both write: their lines, and what to do when both did at the same time.

Read `merge.py` (other people's edits, found and made again), with `lines.py`; `encoding.py` says why a file is not
edited. All pure; `actors/edited_file/` writes.
"""
