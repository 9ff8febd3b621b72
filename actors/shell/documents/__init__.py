"""Attached documents: read as text in a bounded child process, in the sandbox of commands, offline.

Read `reading.py` first (the order of documents, and the bounds), then `report.py` (the child's output). The
child's program is `reader/`; only this program imports libraries for documents, never a process of the agent's.
This package writes no files: documents pass through memory.
"""
