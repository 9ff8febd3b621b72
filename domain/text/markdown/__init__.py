"""Markdown files of people: lines are text, code, math, comment or front matter.

Read `lines.py` first; the module asks `code_blocks.py` with `nesting.py` (a note's code by CommonMark) or
`code_fences.py` (the fences of a file of memory), and `comments.py`. All pure.
"""

from __future__ import annotations
