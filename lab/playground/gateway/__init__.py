"""The playground's gateway: sessions and events."""

from __future__ import annotations
