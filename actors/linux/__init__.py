"""Linux: system calls missing from Python, files opened safely; no actor, no state.

Read `syscall.py` first (prctl, Landlock, by ctypes), then `safe_open.py` and `folder.py` (files and folders open to
hostile programs), `processes.py` (the tree of processes) with `nameless.py` (disk space held by processes), then
`hardening.py` (the agent's process against its commands), `disk.py` (calls behind promises: write, sync, name) with
`notebook.py` (small durable files). All such calls stand here. Only writers: `disk.py` and `notebook.py` of files named
by the caller, `hardening.py` of this process's own flags. Pure: `syscall_numbers.py`.
"""
