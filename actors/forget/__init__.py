"""Forgetting: takes words out of the logs and derived data, at a person's or the operator's request.

Read `actor.py` (previews, rights), then `resolution.py` (events of a request), `execution.py` (the order of
work) and `journal.py` (state that survives a kill). `commands.py` and `wording.py` are for people; `repetition.py`
finds windows that may repeat a forgotten text, `window_files.py` removes files. Writer of `forget/` in the data root.
Rights are in `domain/policy/forgetting/rights.py`.
"""
