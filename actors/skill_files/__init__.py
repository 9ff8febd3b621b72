"""Skill files: `folders.py` finds the folders of skills; any actor may look.

`installed.py` compares added skills with the record of their hashes, which `actors/skills/foreign/` writes;
`front_matter.py` reads the YAML above a skill, or above any other file that people write in the same way.

No module here writes a file: people and other programs change the folders at any time.
"""

from __future__ import annotations
