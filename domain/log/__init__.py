"""Log format: events, their metadata, and how both become bytes that survive crashes and other people's edits.

Read first `event.py` (what is kept), second `format.py` with `metadata.py` and `escape.py` (how it is written), third
`parser.py` (how it is read back, whatever happened to the file). `tail.py` reads only the end, `view.py` is for people,
`window.py` says where files lie. All pure: bytes in, values out; `actors/context/log/file.py` is the only writer of
logs.
"""

from __future__ import annotations
