"""Markdown files of people: which lines are text, and which are code, math, comment or front matter.

Read `lines.py`; it asks `code_blocks.py` with `nesting.py` (a note's code, as CommonMark has it) or `code_fences.py`
(the fences of a file of memory), and `comments.py`. All pure.
"""

from __future__ import annotations
