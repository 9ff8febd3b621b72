"""Speech: recordings are transcribed by a server of models, or by a program on this machine.

Read `actor.py` first (queue and answers), then `server.py` (a call with its retries) or `program.py` (a command in
the window's sandbox). `answer.py` and `container.py` are pure: the words of a server's answer, and the kind of a file.
No module here writes files.
"""
