"""Late imports: large libraries imported in separate threads at the first need, one after the other.

Python lets two threads import modules that need each other, and then gives one thread a half-made module. Within
a large library, or between two libraries with shared modules, the result is an ImportError. So each late import
holds this lock.
"""

from __future__ import annotations

import threading

LATE_IMPORT = threading.RLock()
"""Lock held while a library that takes seconds is imported and prepared."""
