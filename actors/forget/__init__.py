"""Forgetting: takes words out of the logs and of all that was made from them, at a person's or the operator's request.

Read `actor.py` (previews, rights), then `resolution.py` (which events a request names), `execution.py` (the order of
work) and `journal.py` (what survives a kill). `commands.py` and `wording.py` are for people; `repetition.py` finds
windows that may repeat a forgotten text, `window_files.py` removes files. Writer of `forget/` in the data root. Rights
are in `domain/policy/forgetting/rights.py`.
"""
