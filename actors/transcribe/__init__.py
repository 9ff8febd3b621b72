"""Speech: what is said in recordings is written down by a server of models, or by a program on this machine.

Read `actor.py` first (queue and answers), then `server.py` (one call with its retries) or `program.py` (one command in
the window's sandbox). `answer.py` and `container.py` are pure: what a server's answer says, and what a file holds.
Nothing here writes files.
"""
