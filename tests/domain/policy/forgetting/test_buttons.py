"""Custom ids of buttons that forget: short enough for Discord, and read back as the place that they name."""

from __future__ import annotations

import pytest

from domain.policy.forgetting.buttons import PLACE_PREFIX, parse_place, place_id
from messages.base import Surface, Window

LOG = "logs/discord-channel/1300000000000000001/20261122T140322Z_0001.md"
IMPORTED = "logs/discord-thread/1300000000000000001/imported-1300000000000000001-1300000000000000999_0001.md"


@pytest.mark.req("X-252")
@pytest.mark.parametrize(
    ("path", "line", "surface"),
    [(LOG, 123_456, Surface.DISCORD_CHANNEL), (IMPORTED, 12_345, Surface.DISCORD_THREAD)],
)
def test_a_button_names_a_place_within_the_length_that_discord_takes(path: str, line: int, surface: Surface) -> None:
    custom_id = place_id(path, line)
    assert len(custom_id) <= 100
    window, place = parse_place(custom_id.removeprefix(PLACE_PREFIX))
    assert window == Window(surface=surface, id="1300000000000000001")
    assert (place.path, place.line) == (path, line)


@pytest.mark.parametrize("rest", ["", "discord-channel/1:2", "a/b/c:x", "discord-channel/1/../2:3", "elsewhere/1/2:3"])
def test_any_other_id_is_refused(rest: str) -> None:
    with pytest.raises(ValueError, match=r"button|surface|elsewhere"):
        parse_place(rest)
