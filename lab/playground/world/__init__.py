"""The playground's state: servers, channels, messages, and their rules."""

from __future__ import annotations
