"""Watcher: the processes outside of the agent that start a command, watch over it and leave nothing of it behind.

Read `warden.py` first (it forks for the agent), then `supervisor.py` (beside every command, outlives it), then
`confinement.py` (what a command loses before it starts) and `broker.py` (does in its stead what the filter holds back).
They load the standard library and a few of our modules, and hear of the agent by the socket of their job only.
Only writers: `supervisor.py` kills and removes scratch folders, `broker.py` changes a command's own files. Pure: none.
"""
