"""Phrases: how people say in several languages that something should hold, for `domain/workspace/directives.py`."""

from __future__ import annotations
