from __future__ import annotations

from actors.shell.sandbox.watcher.supervisor import kill_order


def test_bubblewrap_is_killed_before_its_child_whose_end_it_would_report_as_its_own() -> None:
    for main, first in [(15, 16), (16, 15), (1, 2), (7, 8)]:
        assert kill_order(main, first, {main, first}) == [main, first]
    assert kill_order(15, 0, {15, 16}) == [15]
    assert kill_order(15, 16, {15}) == [15], "a process that is gone may be another's by now"
    assert set(kill_order(0, 16, {16, 17})) == {16, 17}
