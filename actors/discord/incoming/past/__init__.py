"""History of channels for the importer: all messages from before the agent, archived threads included.

Read `reader.py`. It reads pages only after all missed live messages, and writes no file.
"""

from __future__ import annotations
