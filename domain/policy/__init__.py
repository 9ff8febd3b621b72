"""Who may what, how often and how much: access, audience, limits, retries."""

from __future__ import annotations
