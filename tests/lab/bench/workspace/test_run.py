from __future__ import annotations

import pytest

from lab.bench.workspace.constraints import WORKS
from lab.bench.workspace.course import CONDITIONS, PROBES, Condition, measure_condition
from lab.bench.workspace.run import LEAST, LEAST_CUTS, WORKSPACE
from lab.bench.workspace.talk import talk


def condition(name: str) -> Condition:
    return next(each for each in CONDITIONS if each.name == name)


@pytest.mark.req("S4-02", "S4-03", "S4-04", "S4-66", "S4-67", "S4-68")
def test_constraints_in_files_are_reached_after_cuts_a_restart_and_a_new_window() -> None:
    outcome = measure_condition(condition("files"), WORKS[:1], 130)

    assert outcome.cuts >= 1
    assert outcome.breaks == outcome.cuts
    for reach in (outcome.old, outcome.new):
        assert [reach.share(probe) for probe in PROBES] == [1.0, 1.0, 1.0]
    assert outcome.missed == []
    assert outcome.worker_calls == 0


@pytest.mark.req("S4-65")
def test_constraints_that_workers_wrote_down_are_reached_likewise() -> None:
    outcome = measure_condition(condition("said_llm"), WORKS[-1:], 130)

    assert outcome.worker_calls > 0
    assert outcome.breaks == outcome.cuts
    assert [outcome.new.share(probe) for probe in PROBES] == [1.0, 1.0, 1.0]


@pytest.mark.req("S4-03")
def test_constraints_that_were_only_said_are_reached_without_a_model_in_any_language() -> None:
    outcome = measure_condition(condition("said"), WORKS[-1:], 130)

    assert [outcome.new.share(probe) for probe in PROBES] == [1.0, 1.0, 1.0]


def test_without_the_layer_cuts_show_and_hardly_a_constraint_is_reached() -> None:
    outcome = measure_condition(condition("off"), WORKS[:1], 130)

    assert outcome.breaks == outcome.cuts >= 1
    assert outcome.new.share("continue") == 0.0
    assert "continue: ledger-intake" in outcome.missed


def test_talk_is_the_same_each_time_and_of_like_length_in_all_languages() -> None:
    sizes = {
        language: sum(len(text + answer) for text, answer in talk(language, 200, "x")) for language in ("en", "zh")
    }

    assert list(talk("en", 5, "x")) == list(talk("en", 5, "x")) != list(talk("en", 5, "y"))
    assert max(sizes.values()) < 2.5 * min(sizes.values())


def test_every_condition_that_has_a_target_needs_its_shares_and_cuts() -> None:
    good = {"old_least": 1.0, "new_least": 1.0, "breaks_no_cuts": 0.0, "least_cuts": float(LEAST_CUTS)}
    rows = {each.name: dict(good) for each in CONDITIONS}
    rows["off"] = dict.fromkeys(good, -1.0)
    assert WORKSPACE.is_sound(rows, quick=False)
    for condition, least in LEAST.items():
        for figure in ("old_least", "new_least"):
            assert not WORKSPACE.is_sound({**rows, condition: good | {figure: least - 0.01}}, quick=True)
        assert not WORKSPACE.is_sound({**rows, condition: good | {"least_cuts": 2}}, quick=False)


def test_an_outcome_has_figures_of_all_probes() -> None:
    figures = measure_condition(condition("files"), WORKS[:1], 40).figures()
    assert {f"{when}_{probe}" for when in ("old", "new") for probe in PROBES} <= figures.keys()
    assert figures["breaks_no_cuts"] == 0
