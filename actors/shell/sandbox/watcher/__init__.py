"""Watcher: the processes outside of the agent that start a command, watch over it and clean up at its end.

Read `warden.py` first (it forks for the agent), then `supervisor.py` (beside every command, outlives the command) and
`bounds.py` (its looks while the command runs) with `scarcity.py` (the blame for a full disk); `groups.py`
lets the kernel enforce bounds, `confinement.py` starts the process. The processes load the standard library and a few
of our modules, and hear of the agent only by the socket of their job.
Only writers: `supervisor.py` kills, `groups.py` makes control groups. Pure: none.
"""
