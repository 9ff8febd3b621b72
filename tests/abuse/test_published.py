"""Published escapes: every scenario of two public benchmarks, tried with each bubblewrap, as the current user."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from actors.linux.processes import descendants
from lab.bench.escapes.scenarios import ATTEMPTED_BY, ATTEMPTS, BENCH, ESCAPE_BENCH, SCENARIOS
from lab.bench.escapes.script import FINISHED
from tests.abuse.ground import Ground, kill_all, revive

PAGE = Path(__file__).parents[2] / "docs" / "security.md"


@pytest.mark.req("X-233")
@pytest.mark.parametrize("name", ATTEMPTS)
def test_no_published_escape_succeeds(wrapped: Ground, name: str) -> None:
    before = wrapped.prize.state()

    got = wrapped.attack(f"{ATTEMPTS[name].command(wrapped.target)}\necho; echo '{FINISHED}'")

    harm = wrapped.harm(before)
    if wrapped.bystander.poll() is not None:
        revive(wrapped)
    assert got.breaches == [], got.text
    assert wrapped.prize.token not in got.text
    assert harm == [], got.text
    assert got.text.rstrip().endswith(FINISHED), f"the attempt itself did not get to its end:\n{got.text}"
    assert got.survivors == ()


@pytest.mark.parametrize("name", [name for name, attempt in ATTEMPTS.items() if attempt.works_bare])
def test_the_same_attempt_succeeds_without_a_sandbox(bare: Ground, name: str) -> None:
    others = descendants(os.getpid())

    got = bare.attack(f"{ATTEMPTS[name].command(bare.target)}\necho; echo '{FINISHED}'")

    kill_all(descendants(os.getpid()) - others)
    revive(bare)
    assert got.breaches != [], f"an attempt that never succeeds proves nothing:\n{got.text}"


@pytest.mark.req("X-233")
def test_every_scenario_of_both_benchmarks_is_tried_or_says_why_not() -> None:
    counts = {source: sum(each.source == source for each in SCENARIOS) for source in (ESCAPE_BENCH, BENCH)}
    tried = [each for each in SCENARIOS if each.test == ATTEMPTED_BY and not each.reason]

    assert counts == {ESCAPE_BENCH: 18, BENCH: 15}
    assert {name for each in tried for name in each.attempts} == set(ATTEMPTS)
    assert [each.name for each in SCENARIOS if not each.attempts and not each.reason] == []


@pytest.mark.req("X-233")
def test_the_page_counts_the_scenarios_and_names_those_without_an_attempt_here() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("### Published escapes\n")[2].partition("\n#")[0]
    counts = {source: int(count) for source, count in re.findall(r"(\w+Bench) \((\d+)", section)}
    elsewhere = [each for each in SCENARIOS if each.reason or each.test != ATTEMPTED_BY]

    assert counts == {source: sum(each.source == source for each in SCENARIOS) for source in (ESCAPE_BENCH, BENCH)}
    assert [each.reason or f"`{each.test}`" for each in elsewhere if (each.reason or each.test) not in section] == []
    assert len(elsewhere) == 2
