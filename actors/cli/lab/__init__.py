"""Commands that measure, load and break."""

from __future__ import annotations
