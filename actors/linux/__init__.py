"""Linux: system calls that Python does not have, and files opened safely; no actor, no state.

Read `syscall.py` first (prctl, Landlock, seccomp, by ctypes), then `safe_open.py` (files where somebody hostile may
write), then `hardening.py` (the agent's process against its commands). Whoever needs such a call asks here.
Only writers: `exchange.py` swaps two files that its caller names, `hardening.py` changes this process's own flags.
Pure: `syscall_numbers.py`.
"""
