"""Log lines on stderr in the form that programs read; read first `json_lines.py`.

The formatter reads the logging actor and its message from the thread's frames for each line, so a handler without log
lines costs nothing. No module here opens a file or starts a thread.
"""

from __future__ import annotations
