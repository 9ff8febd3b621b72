"""Reminders: their lines, their file and their instants."""

from __future__ import annotations
