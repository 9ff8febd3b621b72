"""Documents that people attach: read as text in a child process with bounds, in the sandbox of commands, offline.

Read `reading.py` first (which document is read when, and its bounds), then `report.py` (what the child says). The
child's program is `reader/`; it alone imports libraries for documents, and no process of the agent's imports it.
Only writer of nothing: documents pass through memory.
"""
