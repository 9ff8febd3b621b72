"""History of channels for the importer: all that was said before the agent was there, archived threads included.

Read `reader.py`. It reads pages behind everything that was missed live, and writes no file.
"""

from __future__ import annotations
