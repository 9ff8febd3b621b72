"""Log format: events, metadata, and an encoding that survives crashes and edits by other people.

Read first `event.py` (contents of a log), second `format.py` with `metadata.py` and `escape.py` (writing), third
`parser.py` (reading, whatever happened to the file). `tail.py` reads only the end, `view.py` is for people, `window.py`
names the files. All pure: bytes in, values out; `actors/context/log/file.py` is the only writer of logs.
"""

from __future__ import annotations
