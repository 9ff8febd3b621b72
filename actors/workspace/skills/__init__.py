"""Skills' part in a window's life: their declarations (`lives.py`), and their hooks (`hooks.py`)."""

from __future__ import annotations
