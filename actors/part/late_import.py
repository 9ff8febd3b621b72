"""Late imports: large libraries that are imported in threads of their own at the first need, one after the other.

Python lets two threads import modules that need one another, and then gives one of them a module that is half made.
Within such a library, or between two that share others, that ends in an ImportError; so each import of one holds this.
"""

from __future__ import annotations

import threading

LATE_IMPORT = threading.RLock()
"""Held while a library that takes seconds is imported and made ready."""
