"""The playground's REST routes."""

from __future__ import annotations
