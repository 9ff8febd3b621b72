"""Watcher: the processes outside of the agent that start a command, watch over it and leave nothing of it behind.

Read `warden.py` first (it forks for the agent), then `supervisor.py` (beside every command, outlives it) and
`bounds.py` (what it looks at while the command runs) with `scarcity.py` (who is to blame for a full disk); `groups.py`
has the kernel hold what it can, `confinement.py` starts the process. They load the standard library and a few of our
modules, and hear of the agent by the socket of their job only.
Only writers: `supervisor.py` kills, `groups.py` makes control groups. Pure: none.
"""
