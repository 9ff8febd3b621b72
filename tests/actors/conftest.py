"""Fixtures for tests of whole agents."""

from __future__ import annotations

from tests.e2e.conftest import server

__all__ = ["server"]
