"""Sandbox: what stands between a command and the machine, bubblewrap or else Landlock, with a seccomp filter behind it.

Read `ladder.py` first (which wrapper works here), then `view.py` (what a command may see) and `enclosure.py` (a command
becomes a job), then `bubblewrap.py` or `landlock.py`. The processes that run jobs are in `watcher/`.
Only writers: `ladder.py` of its trial's temporary folder, `enclosure.py` of a command's scratch folder, `landlock.py`
of rules in the kernel. Pure: `filter.py`.
"""
