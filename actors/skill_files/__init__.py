"""Skill files: `folders.py` finds the folders of skills and reads their front matter; any actor may look.

Nobody here writes a file: people and other programs change the folders at any time.
"""

from __future__ import annotations
