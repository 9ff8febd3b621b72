"""Which windows have logs, as the watermarks of all channels know."""

from __future__ import annotations

from actors.discord.incoming.watermarks import Watermarks
from domain.log.watermark import Watermark
from messages.base import Surface, Window

LOGGED = Window(surface=Surface.DISCORD_THREAD, id="7")
ONLY_MET = Window(surface=Surface.DISCORD_THREAD, id="8")


def test_a_window_is_known_by_its_logs_and_not_by_having_been_met() -> None:
    met = Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=9)
    known = Watermarks(kept={8: met}, logged={LOGGED.address.key: "5"}, file=None, catchup_hours=1.0)
    assert known.knows(LOGGED)
    assert not known.knows(ONLY_MET)
    assert not known.knows(Window(surface=Surface.DISCORD_DM, id="7"))
    assert not known.knows(Window(surface=Surface.DISCORD_THREAD, id="9"))
    known.log(8, 10)
    assert known.knows(ONLY_MET)
    known.forget(8)
    assert not known.knows(ONLY_MET)
