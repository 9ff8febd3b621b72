"""Fixtures of the embedder's tests, for what the layer asks of a service."""

from __future__ import annotations

from tests.actors.embedder.conftest import litellm, pytest_itemcollected, server

__all__ = ["litellm", "pytest_itemcollected", "server"]
