"""REST calls: retries, pacing, addresses."""

from __future__ import annotations
