"""Charges for a conversation through the gateway, by the place of its memories."""

from __future__ import annotations

import pytest

from domain.facts.block_place import BlockPlace
from lab.bench.cache.gateway import charge_conversation


@pytest.mark.req("X-224")
def test_the_default_place_keeps_the_provider_s_cache_and_the_system_s_message_breaks_it() -> None:
    shares = {}
    for place in BlockPlace:
        charges = charge_conversation(place, 30)
        shares[place.value] = sum(charge.read for charge in charges) / sum(charge.total for charge in charges)
    assert shares["auto"] > 0.85
    assert shares["question"] > 0.85
    assert shares["system"] < 0.05
