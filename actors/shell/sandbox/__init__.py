"""Sandbox: what stands between a command and the machine, bubblewrap with a seccomp filter behind it.

Read `choice.py` first (which bubblewrap works here, tried by breaking out of it), then `view.py` (what a command may
see), `enclosure.py` (a command becomes a job) and `bubblewrap.py` (its command line). `binary.py` finds bubblewrap,
`remedy.py` says what to do where none works, `scope.py` is one more fence around commands that reach the network.
What the command
line's caller keeps from it is in `caller_folder.py`. The processes that run jobs are in `watcher/`.
Only writer: `choice.py` of its trial's temporary folder. Pure: `filter.py`.
"""
