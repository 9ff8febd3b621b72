"""Campaign on the whole agent, on peers that are bad on purpose, and the environment of the peers."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from lab.bench.durable.instants import Instant, Outcome
from lab.bench.durable.outside import Outside, read_request
from lab.bench.durable.run import DURABLE, Campaign
from lab.bench.durable.systems import Ours, Peer, PeerProgram, peers_of, work_of
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError
from tests.lab.bench.durable.bare_peer import AGAIN, FORGETS

LOST_S = 1.0
"""Waited for an answer that cannot come."""


@pytest.mark.req("X-243")
@pytest.mark.slow
def test_the_agent_runs_no_command_twice_and_says_each_answer_once_wherever_it_is_killed(tmp_path: Path) -> None:
    instants = (Instant.COMMAND_BEGUN, Instant.COMMAND_DONE, Instant.POST_SEEN)
    with Outside(work_of(tmp_path)) as outside:
        campaign = Campaign(Ours(tmp_path, outside), outside, random.Random(1), str)
        outcomes, cost = campaign.run(instants, calm_turns=1)

    counts = {each.instant: (each.effects, each.answers) for each in outcomes}
    assert counts == {Instant.COMMAND_BEGUN: (0, 1), Instant.COMMAND_DONE: (1, 1), Instant.POST_SEEN: (1, 1)}
    in_command = next(each for each in outcomes if each.instant is Instant.COMMAND_DONE)
    assert in_command.goes_on_s is not None
    assert in_command.goes_on_s > 0
    assert cost["cpu_ms"] > 0
    assert cost["rss_mb"] > 0


def play_bare(tmp_path: Path, mode: str, instant: Instant, patience_s: float) -> tuple[Outcome, Figures]:
    peer = Peer("bare", "tests.lab.bench.durable.bare_peer", mode)
    with Outside(work_of(tmp_path)) as outside:
        system = PeerProgram(tmp_path, outside, python=Path(sys.executable), peer=peer)
        outcomes, cost = Campaign(system, outside, random.Random(1), str, patience_s).run((instant,), calm_turns=1)
    return outcomes[0], cost


@pytest.mark.parametrize(
    ("instant", "effects", "answers"),
    [
        (Instant.FIRST_CALL, 1, 1),
        (Instant.COMMAND_BEGUN, 1, 1),
        (Instant.COMMAND_DONE, 2, 1),
        (Instant.SECOND_CALL, 2, 1),
        (Instant.POST_UNSEEN, 2, 1),
        (Instant.POST_SEEN, 2, 2),
    ],
)
def test_a_turn_that_begins_anew_is_found_out(tmp_path: Path, instant: Instant, effects: int, answers: int) -> None:
    outcome, _ = play_bare(tmp_path, AGAIN, instant, patience_s=120)

    assert (outcome.effects, outcome.answers) == (effects, answers)


def test_a_turn_that_is_forgotten_is_lost(tmp_path: Path) -> None:
    outcome, _ = play_bare(tmp_path, FORGETS, Instant.SECOND_CALL, patience_s=LOST_S)

    assert outcome == Outcome(instant=Instant.SECOND_CALL, effects=1, answers=0)


def test_only_the_agent_has_to_reach_the_targets() -> None:
    bad = {"lost": 1.0, "effects_doubled": 1.0, "answers_doubled": 1.0}

    assert DURABLE.is_sound({"remembrancer": dict.fromkeys(bad, 0.0), "DBOS 3.4.0": bad}, quick=False)
    for name in bad:
        assert not DURABLE.is_sound({"remembrancer": {name: 1.0}}, quick=False)


def test_a_request_is_about_the_last_turn_that_a_person_named() -> None:
    old = [{"role": "user", "content": "turn 1"}, {"role": "tool", "content": "done"}]
    new = {"role": "user", "content": [{"type": "text", "text": "You said: turn 2"}]}

    assert read_request(old) == (1, True)
    assert read_request([*old, new]) == (2, False)
    assert read_request([*old, new, {"role": "tool", "content": "turn 7"}]) == (2, True)
    assert read_request([{"role": "system", "content": "turn 9"}]) == (0, False)


def python_with(folder: Path, packages: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho '{packages}'\n")
    path.chmod(0o755)
    return path


def test_the_peers_are_those_of_the_environment_with_their_versions(tmp_path: Path) -> None:
    both = peers_of(python_with(tmp_path, '{"dbos": "3.4.0", "durabl": "0.1.0", "pip": "26"}'))
    assert [each.name for each in both] == ["DBOS 3.4.0", "durabl 0.1.0", "durabl 0.1.0 again"]
    assert [each.mode for each in both] == ["", "AT_MOST_ONCE", "IDEMPOTENT"]
    assert [each.name for each in peers_of(python_with(tmp_path, '{"dbos": "4.0"}'))] == ["DBOS 4.0"]


@pytest.mark.parametrize("printed", ['{"pip": "26"}', "no JSON"])
def test_an_environment_without_peers_is_refused(tmp_path: Path, printed: str) -> None:
    with pytest.raises(MeasurementError, match=r"neither dbos nor durabl.*pip install|lists its packages"):
        peers_of(python_with(tmp_path, printed))
