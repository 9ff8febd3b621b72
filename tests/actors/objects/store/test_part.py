"""Row of the store: a single turn leaves no file, and bounds come from the settings."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import ActorSystem, ManualClock
from actors.objects.part import store_row
from actors.part import Part, Parts
from messages.base import Message, RequestId
from messages.objects import OBJECT_STORE, CollectObjects, NewVersion, StoreRound
from messages.socket import Refused
from tests.actors.objects.plan import plan_of
from tests.actors.objects.store.rig import WINDOW, StoreRig


def part_of(root: Path, *, lives: bool = True, **given: Any) -> Part:
    """Part of an agent whose data root is `data`."""
    plan = plan_of(root, **given)
    plan = plan if lives else dataclasses.replace(plan, caller_folder=root)
    return store_row(plan, Parts(plan, ()))


def answer_to_a_round(part: Part, *versions: NewVersion) -> Message:
    system = ActorSystem(workers=0, clock=ManualClock())
    asker = system.edge("asker")
    system.register(part.spec)
    system.start()
    message = StoreRound(
        request_id=RequestId("r1"), reply_to=asker.address, window=WINDOW, round=1, entries=b"", versions=versions
    )
    system.tell(OBJECT_STORE, message)
    system.run()
    answer = asker.receive(0, lambda _heard: True)
    system.stop(1.0)
    return answer


def test_the_actor_is_no_core_actor_and_brings_a_verb_for_the_operator_only(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    assert (part.spec.kind, part.spec.core, part.spec.idle_s) == (OBJECT_STORE.kind, False, None)
    assert part.verbs == {}
    verb = part.operator_verbs["objects.gc"]
    assert (verb.to, verb.message) == (OBJECT_STORE, CollectObjects)


@pytest.mark.parametrize("lives", [True, False])
def test_a_file_is_kept_for_an_agent_that_lives_only(tmp_path: Path, *, lives: bool) -> None:
    assert not isinstance(answer_to_a_round(part_of(tmp_path, lives=lives)), Refused)
    assert (tmp_path / "data" / "objects" / "objects.sqlite").exists() is lives


def test_the_settings_say_how_much_is_kept(tmp_path: Path) -> None:
    rig = StoreRig(None)
    news = [rig.version(f"f{number}", random.Random(number).randbytes(120_000).hex()) for number in range(1, 10)]
    rig.stop()
    for window_mib, is_kept in ((1, False), (64, True)):
        root = tmp_path / str(window_mib)
        given: dict[str, Any] = {"objects.window_mib": window_mib}
        part = part_of(root, **given)
        answer_to_a_round(part, *news)
        rig = StoreRig(root / "data")
        assert (rig.text("f9") is not None) is is_kept
        rig.stop()
