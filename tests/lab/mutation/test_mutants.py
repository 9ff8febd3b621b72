from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lab.mutation.campaign import candidates
from lab.mutation.loading import PROJECT
from lab.mutation.mutants import Mutant, mutants_of, mutated
from lab.mutation.reasons import REASONS
from lab.mutation.targets import TARGETS


def _only(source: str) -> tuple[Mutant, str]:
    (mutant,) = mutants_of(source)
    return mutant, ast.unparse(mutated(source, 0))


@pytest.mark.parametrize(
    ("source", "faulty", "is_durable"),
    [
        ("file.sync()", "None", True),
        ("await file.secure()", "None", True),
        ("names.append(name)", "None", False),
        ("yes = a == b", "yes = a != b", True),
        ("yes = a not in b", "yes = a in b", True),
        ("yes = a < b", "yes = a <= b", False),
        ("yes = a is None", "yes = a is not None", False),
        ("if a:\n    pass", "if not a:\n    pass", False),
        ("b = c if a else d", "b = c if not a else d", False),
        ("yes = a and b", "yes = a or b", False),
        ("at = write(event, sync=True)", "at = write(event, sync=False)", True),
        ("at = write(event, whole=False)", "at = write(event, whole=True)", False),
        ("n = count - 1", "n = count + 1", False),
        ("n = max(a, b)", "n = min(a, b)", False),
    ],
)
def test_each_kind_of_fault_changes_just_what_it_says(source: str, faulty: str, is_durable: bool) -> None:
    mutant, text = _only(source)
    assert text == faulty
    assert mutant.is_durable is is_durable


@pytest.mark.parametrize(
    "source",
    [
        'log.warning("it is full")',
        "assert_never(message)",
        "class Gap(Value, frozen=True):\n    after: int",
        "@dataclass(frozen=True)\nclass Gap:\n    after: int",
        "n = a + b",
    ],
)
def test_what_changes_nothing_that_counts_is_no_mutant(source: str) -> None:
    assert mutants_of(source) == []


def test_two_statements_of_which_one_is_durable_come_the_other_way_round() -> None:
    source = "def write(self, event):\n    self.log.sync()\n    self.tell(event)\n    if durable:\n        self.log.sync()\n    at = 1"
    orders = [mutant for mutant in mutants_of(source) if "⇄" in mutant.what]
    assert [mutant.line for mutant in orders] == [2, 3, 4]
    assert all(mutant.is_durable and mutant.within == "write" for mutant in orders)
    first = ast.unparse(mutated(source, orders[0].number)).splitlines()
    assert first[1:3] == ["    self.tell(event)", "    self.log.sync()"]


def test_mutants_are_numbered_from_zero_and_found_again_by_their_number() -> None:
    source = (PROJECT / "domain/log/watermark.py").read_text("utf-8")
    found = mutants_of(source)
    assert found == mutants_of(source)
    assert [mutant.number for mutant in found] == list(range(len(found)))
    assert sorted(mutant.line for mutant in found) == [mutant.line for mutant in found]
    texts = {ast.unparse(mutated(source, mutant.number)) for mutant in found}
    assert len(texts | {ast.unparse(ast.parse(source))}) == len(found) + 1
    with pytest.raises(IndexError):
        mutated(source, len(found))


def test_a_mutant_says_in_which_method_it_is() -> None:
    source = "class Log:\n    def end(self):\n        def inner():\n            f.sync()\n        return inner\n"
    assert [mutant.within for mutant in mutants_of(source)] == ["Log.end.inner"]


def test_every_target_and_its_tests_are_there_and_are_named_once() -> None:
    modules = [target.module for target in TARGETS]
    assert len(set(modules)) == len(modules)
    assert all((PROJECT / target.module).is_file() and target.tests for target in TARGETS)
    assert [path for target in TARGETS for path in target.tests if not (PROJECT / path).exists()] == []


def test_every_reason_is_that_of_a_mutant_which_there_is() -> None:
    there = {candidate.key for candidate in candidates()}
    assert [key for key in REASONS if key not in there] == []
    assert all(len(reason.split()) > 3 for reason in REASONS.values())


def test_the_durable_path_is_among_the_mutants_whole() -> None:
    """Each call that waits for the disk in the rooms that keep what was said is one of them."""
    durable = {(each.target.module, each.mutant.line) for each in candidates() if each.mutant.is_durable}
    for module in ("actors/linux/disk.py", "actors/context/log/file.py", "actors/edited_file/file.py"):
        lines = Path(PROJECT / module).read_text("utf-8").splitlines()
        waits = [
            n
            for n, line in enumerate(lines, 1)
            if line.strip() in {"self._file.sync()", "file.sync()", "os.fdatasync(self.fileno)"}
        ]
        assert {(module, n) for n in waits} <= durable
