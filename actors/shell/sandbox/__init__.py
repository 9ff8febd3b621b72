"""Sandbox: what stands between a command and the machine, bubblewrap with a seccomp filter behind it.

Read `choice.py` first (which bubblewrap works here, tried by breaking out of it), then `view.py` (what a command may
see), `enclosure.py` (a command becomes a job) and `bubblewrap.py` (its command line). `binary.py` finds bubblewrap,
`remedy.py` says what to do where none works, `scope.py` is one more fence around commands that reach the network.
The command line's caller keeps names from commands by `caller_folder.py`, and `made_names.py` undoes names that
commands made; `kept_names.py` and `obeyed_names.py` list the names. The processes that run jobs are in `watcher/`.
Only writer: `choice.py` of its trial's temporary folder, `made_names.py` of names. Pure: `filter.py`, both lists.
"""
