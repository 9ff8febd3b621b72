"""Clients of a gateway: what was answered must be kept once, and what got no answer is sent again."""

from __future__ import annotations

import random
import threading
from pathlib import Path

from lab.bench.facts.store import fill
from lab.bench.facts.systems import STORE
from lab.chaos.kills.clients import Clients
from lab.chaos.kills.ledger import Tally


def test_without_an_agent_a_message_waits_for_the_next_life(tmp_path: Path) -> None:
    clients, over = Clients(tmp_path, random.Random(1)), threading.Event()
    over.set()
    for _ in range(9):
        clients.talk(over)
        clients.begin_life()
    tally = Tally()
    clients.judge(tally)
    assert tally.gateway_said in (1, 2, 3)  # one of each client, again and again
    assert (tally.gateway_answered, tally.is_sound) == (0, True)


def test_broken_entries_are_lost(tmp_path: Path) -> None:
    fill(tmp_path / STORE, "talk-0", "series", 1)
    (tmp_path / STORE / "entries" / "talk-0" / "facts" / "torn.md").write_text("---\nid: a\n")
    tally = Tally()
    Clients(tmp_path, random.Random(1)).judge(tally)
    assert tally.gateway_lost == 1
