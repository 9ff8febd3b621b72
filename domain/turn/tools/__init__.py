"""Tools of other servers: listing, search and description, and the rules for their arguments.

Read first `catalogue.py` (a tool, the search, the description), then `arguments.py` (arguments held against a schema).
Everything here is pure; schemas and texts are a server's own, so every walk through them is bounded.
"""

from __future__ import annotations
