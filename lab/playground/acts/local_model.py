"""Act of the page: fetch the model offered on this machine."""

from __future__ import annotations

from lab.playground.hub import Hub
from lab.playground.world.errors import ApiError


def fetch(hub: Hub) -> None:
    """Begin to fetch the offered model."""
    offer = hub.companion.local_offer if hub.companion is not None else None
    if offer is None:
        raise ApiError(400, 50035, "No model on this machine is offered here")
    offer.begin()
