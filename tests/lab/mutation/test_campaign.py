from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.mutation.campaign import Campaign, FailingAnywayError, Outcome, Report, candidates, chosen
from lab.mutation.loading import Finder, install
from lab.mutation.reasons import Key
from lab.mutation.targets import Target

MODULE = """\
def lower_than(a, b):
    return a < b


def count_down(n):
    while n != 0:
        n = n - 1
    return n
"""
GOOD_TEST = """\
import sample_rule


def test_rule():
    assert sample_rule.lower_than(1, 2)
    assert not sample_rule.lower_than(1, 1)
    assert sample_rule.count_down(3) == 0
"""
BAD_TEST = GOOD_TEST.replace("    assert not sample_rule.lower_than(1, 1)\n", "")
LOOP = "count_down"
"""Whose mutants hang, each until `EACH_S` is over."""
EACH_S = 2.0
TARGET = Target("sample_rule.py", ("test_sample_rule.py",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    for name in ("lab", "tests"):
        (tmp_path / name).symlink_to(Path(__file__).parents[3] / name)
    (tmp_path / "sample_rule.py").write_text(MODULE)
    return tmp_path


@pytest.fixture
def clean_imports() -> Iterator[None]:
    path, finders = list(sys.path), list(sys.meta_path)
    yield
    sys.path[:], sys.meta_path[:] = path, finders
    sys.modules.pop("sample_rule", None)


def _report(project: Path, reasons: dict[Key, str] | None = None, *, without_hanging: bool = False) -> Report:
    campaign = Campaign(at_once=1, project=project, reasons=reasons or {}, each_s=EACH_S)
    tested = [each for each in candidates([TARGET], project) if not (without_hanging and each.mutant.within == LOOP)]
    return campaign.run(tested, lambda _: None)


def _outcome(*, is_killed: bool, is_durable: bool = False, reason: str = "") -> Outcome:
    return Outcome("m.py", 0, 1, "f", "x: left out", is_durable, is_killed, reason, 0.1)


def test_tests_that_look_notice_every_mutant_and_one_that_hangs_counts_as_noticed(project: Path) -> None:
    (project / "test_sample_rule.py").write_text(GOOD_TEST)
    report = _report(project)
    assert {outcome.what for outcome in report.outcomes} == {"a < b: LtE", "n != 0: Eq", "n - 1: Add"}
    assert (report.killed, report.survivors, report.is_sound) == (3, (), True)


def test_a_mutant_that_no_test_looks_at_survives_unless_a_reason_is_named(project: Path) -> None:
    (project / "test_sample_rule.py").write_text(BAD_TEST)
    report = _report(project, without_hanging=True)
    assert [outcome.what for outcome in report.survivors] == ["a < b: LtE"]
    assert not report.is_sound
    reasons = {Key("sample_rule.py", "lower_than", "a < b: LtE"): "no two are ever equal"}
    excused = _report(project, reasons, without_hanging=True)
    assert (excused.survivors, excused.excused, excused.share, excused.is_sound) == ((), 1, 1.0, True)


def test_tests_that_fail_without_any_fault_prove_nothing(project: Path) -> None:
    (project / "test_sample_rule.py").write_text("def test_rule():\n    raise OSError\n")
    with pytest.raises(FailingAnywayError, match="test_sample_rule"):
        _report(project)


def test_tests_that_are_not_there_prove_nothing(project: Path) -> None:
    with pytest.raises(FailingAnywayError, match="test_sample_rule"):
        _report(project)


@pytest.mark.usefixtures("clean_imports")
def test_a_module_is_loaded_with_the_fault_and_others_as_they_are(project: Path) -> None:
    sys.path.insert(0, str(project))
    install("sample_rule.py", 0, project)
    assert importlib.import_module("sample_rule").lower_than(1, 1)
    assert Finder("sample_rule.py", 0, project).find_spec("another", None) is None


def test_a_module_that_is_loaded_already_cannot_be_made_faulty() -> None:
    with pytest.raises(ValueError, match="not loaded yet"):
        install("lab/mutation/mutants.py", 0)


def test_a_survivor_of_the_durable_path_is_one_too_many_and_five_in_a_hundred_others_are_not() -> None:
    killed = (_outcome(is_killed=True),) * 95
    assert Report((*killed, *(_outcome(is_killed=False),) * 5), 1.0).is_sound
    assert not Report((*killed, *(_outcome(is_killed=False),) * 6), 1.0).is_sound
    assert not Report((*killed, _outcome(is_killed=False, is_durable=True)), 1.0).is_sound
    assert Report((*killed, _outcome(is_killed=False, is_durable=True, reason="nothing sees it")), 1.0).is_sound


def test_a_reason_counts_only_for_what_survived() -> None:
    report = Report((_outcome(is_killed=True, reason="nothing sees it"), _outcome(is_killed=True)), 1.0)
    assert (report.killed, report.excused, report.share) == (2, 0, 1.0)
    assert Report((), 0.0).share == 1.0


def test_a_seed_draws_the_same_mutants_those_of_the_durable_path_first() -> None:
    everything = candidates([Target("domain/log/parser.py", ("tests/domain/log",))])
    drawn = chosen(everything, 20, "seven")
    assert drawn == chosen(everything, 20, "seven") != chosen(everything, 20, "eight")
    durable = [each.mutant.is_durable for each in drawn]
    assert durable == sorted(durable, reverse=True)
    assert len(drawn) == 20
    assert len(chosen(everything, 10**6, "seven")) == len(everything)
