"""Objects of a window: which files its commands name, and how those stand.

Read `looking.py`: the only module that touches files in a window's folder. It only reads.
"""

from __future__ import annotations
