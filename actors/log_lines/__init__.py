"""Log lines on stderr in the form that programs read; read first `json_lines.py`.

The actor that logs, and its message, are read from the thread's frames while a line is made, so a handler that does not
log costs nothing. No module here opens a file or starts a thread.
"""

from __future__ import annotations
