"""Linux: system calls that Python does not have, files opened safely; no actor, no state.

Read `syscall.py` first (prctl, Landlock, by ctypes), then `safe_open.py` and `folder.py` (files and folders where
hostile programs may write), `processes.py` (who stems from whom) with `nameless.py` (what they hold of a disk), then
`hardening.py` (the agent's process against its commands), `disk.py` (calls on which promises hang: write, sync, name)
with `notebook.py` (small durable files). All such calls stand here.
Only writers: `disk.py` and `notebook.py` of what their caller names, `hardening.py` of this process's
own flags.
Pure: `syscall_numbers.py`.
"""
