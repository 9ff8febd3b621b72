from __future__ import annotations

from tests.actors.embedder.conftest import google_genai, litellm, make_rig, pytest_itemcollected

__all__ = ["google_genai", "litellm", "make_rig", "pytest_itemcollected"]
