"""Fault campaigns on the reminders' file."""

from __future__ import annotations
