"""Map of the requirements: each id of the source documents with what it says, its state, and the tests that hold it.

Read `rows.txt` first, then `chart.py` (puts rows and marks together), then `document.py` (writes docs/requirements.md).
"""
