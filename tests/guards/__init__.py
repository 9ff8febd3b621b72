"""Guards of docs/security.md, each with the test that falls without it: `python -m tests.guards.run` takes them out.

Read `guard.py` first, then `table.py` (all rows, by ground: `of_sandbox.py`, `of_folders.py`, `of_doors.py`,
`of_servers.py`, `of_words.py`, `of_machine.py`) and `run.py` (the command).
"""
