"""Skills' part in a window's life: what they declare (`lives.py`), and their hooks (`hooks.py`)."""

from __future__ import annotations
