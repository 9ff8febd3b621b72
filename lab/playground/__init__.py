"""A small Discord on loopback, with a page."""

from __future__ import annotations
