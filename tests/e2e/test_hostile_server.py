"""A hostile model server before the whole agent: each turn ends clearly, nothing is lost, and others are answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.model.hostile_answers import ATTACKS
from tests.e2e.hostile_models import behave
from tests.e2e.hostile_pace import measure, middle
from tests.e2e.stage import Stage, bot_texts, events

SECRET = "sk-secret-of-the-operator"


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(behave) as made:
        yield made


@pytest.fixture
def stage(server: PlaygroundServer, model: LoopbackModel, tmp_path: Path) -> Iterator[Stage]:
    more: dict[str, Any] = {"model.name": "openai/hostile", "model.api_base": model.api_base, "model.retries": 0}
    made = Stage(server, tmp_path / "data", {"OPENAI_API_KEY": SECRET}, **more)
    yield made
    made.stop()


@pytest.mark.req("X-235")
def test_every_attack_ends_its_turn_with_clear_words_and_hurts_no_other_window(
    stage: Stage, model: LoopbackModel, subtests: pytest.Subtests
) -> None:
    server = stage.server
    for number, (name, attack) in enumerate(ATTACKS.items()):
        window = server.create_thread(GENERAL_ID, f"attack {number}")
        with subtests.test(name=name):
            before = model.request_count
            reply = stage.ask(f"attack: {name}", window)
            taken = model.request_count - before

            assert attack.told in reply
            assert SECRET not in reply
            assert all(each.isprintable() or each == "\n" for each in reply)
            assert taken <= attack.requests
            assert "honest" in stage.ask(f"honest {number}")
            assert "honest" in stage.ask(f"honest {number}", window)
            assert events(stage.data, "discord-thread", window)  # whole, by the chain of its records
    assert not any(SECRET in text for text in bot_texts(server))
    assert not any(SECRET.encode() in path.read_bytes() for path in (stage.data / "logs").rglob("*.md"))
    assert not any("cookie" in request.headers for request in model.requests())


@pytest.mark.slow
@pytest.mark.req("X-238")
def test_other_windows_are_answered_almost_as_soon_while_attack_follows_attack(tmp_path: Path) -> None:
    """Of few answers, so with a floor below which a share of a second on a busy machine is no harm."""
    rounds = measure(tmp_path, answers=40, rounds=2)

    assert all(each.attacks for each in rounds)
    without_s = middle(rounds, lambda each: each.neighbour_s)
    assert middle(rounds, lambda each: each.attacked_s) <= 1.5 * max(without_s, 0.5), rounds
