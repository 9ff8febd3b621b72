"""Sandbox: the barrier between a command and the machine, bubblewrap with a seccomp filter behind.

Read `choice.py` first (the choice of a working bubblewrap, by attempts to break out), then `view.py` (the files
visible to a command), `enclosure.py` (a command becomes a job) and `bubblewrap.py` (its command line). `binary.py`
finds bubblewrap, `remedy.py` gives the remedy for a failure, `scope.py` is a further fence around commands with
network. The command line's caller keeps names from commands by `caller_folder.py`, and `made_names.py` undoes names
made by commands; `kept_names.py` and `obeyed_names.py` list the names. The processes that run jobs are in `watcher/`.
Only writer: `choice.py` of its trial's temporary folder, `made_names.py` of names. Pure: `filter.py`, both lists.
"""
