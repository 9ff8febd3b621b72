"""Text as people and terminals see it: splitting, escaping, cutting."""

from __future__ import annotations
