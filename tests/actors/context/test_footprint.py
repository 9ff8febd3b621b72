from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

from actors.kernel import ActorSystem
from tests.actors.context.rig import CHANNEL, Rig


def leave(system: ActorSystem) -> None:
    """Have all actors leave memory, as the sweeper does to those that were idle for long enough."""
    for mailbox in system.mailboxes():
        assert mailbox.take_turn()
        mailbox.leaving = True
        system.schedule(mailbox)
    system.run()


def garbage_of_leaving(rig: Rig) -> Counter[str]:
    """Types of what only a garbage collection frees after all windows have left memory, with counts."""
    gc.collect()
    gc.disable()
    try:
        leave(rig.system)
        assert rig.system.mailboxes() == []
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return Counter(type(thing).__qualname__ for thing in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def test_a_window_that_leaves_memory_leaves_nothing_to_the_garbage_collector(tmp_path: Path) -> None:
    """A full collection comes after a thousand more windows, in a process of this size; until then all would stay."""
    rig = Rig(tmp_path)
    rig.say("hello", 910000000000000101)
    rig.answer("hello yourself")
    rig.deliver()
    left = garbage_of_leaving(rig)
    if "ActorSystem" in left:  # of another test, of which a thread has just ended: this one's is still there
        rig.say("once more", 910000000000000103)
        rig.answer("yes")
        rig.deliver()
        left = garbage_of_leaving(rig)
    rig.say("and again", 910000000000000102)

    assert left == Counter()
    assert "hello yourself" in str(rig.requests()[-1].messages)
    assert CHANNEL.address in rig.system
    rig.stop()
