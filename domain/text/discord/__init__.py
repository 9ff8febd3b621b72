"""Markdown as Discord shows it: the formats of a message, and the places where a message may be cut.

Read `formats.py` (bold, spoilers, links, and indivisible words), which asks `lines.py` (quotes, headings, items,
code blocks); `spans.py` holds stretches of text. All pure, and linear in the text's length.
"""

from __future__ import annotations
