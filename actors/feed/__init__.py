"""Feed: recent events of runs, handed to the operator piece by piece through the agent's socket.

Read `actor.py`, then `ring.py` (limits of the kept events). No module here writes a file.
Pure: `ring.py`.
"""
