"""Log lines on stderr in the form that programs read; read first `json_lines.py`.

Who does not log pays nothing for it: which actor logs, and at what message, is read from the thread's frames while a
line is made. Nobody here opens a file or starts a thread.
"""

from __future__ import annotations
