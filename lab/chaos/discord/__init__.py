"""Fault campaign on the connection to Discord."""

from __future__ import annotations
