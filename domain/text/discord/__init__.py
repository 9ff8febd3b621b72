"""Markdown as Discord shows it: what of a message is a format, and where it may be cut.

Read `formats.py` (bold, spoilers, links, and words that are one thing), which asks `lines.py` (quotes, headings, items,
code blocks); `spans.py` holds stretches of text. All pure, and linear in the text's length.
"""

from __future__ import annotations
