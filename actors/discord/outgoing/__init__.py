"""What windows show: posts, edits, reactions, typing."""

from __future__ import annotations
