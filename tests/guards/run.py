"""Taking out of each guard in a copy of the checkout: prints which tests fall.

    .venv/bin/python -m tests.guards.run                   # all of docs/security.md, in some minutes
    .venv/bin/python -m tests.guards.run gateway web       # those whose file has one of these words in its path
    .venv/bin/python -m tests.guards.run --syncs [WORD...] # instead: each call that makes data safe from a power loss
    .venv/bin/python -m tests.guards.run --syncs --some 6  # six, others each time

Guards are taken by the files of their tests, two files at a time, each in a copy of its own. A guard whose test does not
fall is held by no test, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

from tests.guards.guard import ROOT
from tests.guards.guard import Guard as SecurityGuard
from tests.guards.of_syncs import SYNCS
from tests.guards.sync_call import SyncCall
from tests.guards.table import GUARDS
from tests.mutation_targets import TEST_OPTIONS

Guard = SecurityGuard | SyncCall
_LEFT_OUT = (".git", ".venv", "__pycache__", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", "data")
_PASSED, _FAILED = 0, 1
"""Exit codes of pytest."""
_TEST_S = 600.0
_COPIES = 2
_LOOK_S = 1.0
_OPTIONS = (*TEST_OPTIONS, "-p", "no:simcord", "-p", "no:unraisableexception")
"""Without a plugin that takes a second to load, and without the search for objects that were left open at the end of
pytest, which is the business of `bin/test`."""
FELL = "fell"
_HANGS_S = 60
"""Seconds after which a test that hangs without its guard counts as fallen."""


def copy_checkout(place: Path) -> Path:
    """A copy of the checkout in the folder `place`, with the same packages."""
    copy = place / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
    (copy / ".venv").symlink_to((ROOT / ".venv").resolve())
    return copy


def run_tests(copy: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of pytest in a copy."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [
            *(copy / ".venv" / "bin" / "python", "-P", "-m", "pytest", *_OPTIONS),
            *(f"--timeout={_HANGS_S}", f"--basetemp={copy.parent / 'tests'}"),  # nothing of another run's folders
            *tests,
        ],
        cwd=copy,
        env={**environ, "PYTHONPATH": str(copy), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TEST_S * max(1, len(tests) // 10),
    )
    return done.returncode, done.stdout + done.stderr


class End(NamedTuple):
    """Result of one guard."""

    guard: Guard
    result: str
    """`fell`, or the reason why the test did not fall, with the end of its output."""

    @property
    def row(self) -> str:
        """Row of the table."""
        result, *output = self.result.splitlines()
        return "\n".join((f"| {result} | {self.guard.title} | {self.guard.test_id} |", *output))


def take_out(guard: Guard, copy: Path) -> str:
    """Result of the guard's test without the guard: `fell`, or the reason why the test did not fall."""
    file = copy / guard.file
    text = file.read_text(encoding="utf-8")
    try:
        _write(file, guard.without(text))
        code, output = run_tests(copy, [guard.test_id])
    finally:
        _write(file, text)
    if code == _FAILED:
        return FELL
    why = "its test passes" if code == _PASSED else f"pytest ended with {code}"
    return f"DID NOT FALL ({why})\n{_indent(output)}"


def take_out_all(guards: Sequence[Guard], copy: Path) -> Iterator[End]:
    """Results of guards whose tests are in one file; none counts if a test falls with every guard in its place."""
    code, output = run_tests(copy, sorted({guard.test_id for guard in guards}))
    result = f"NOT TRIED (tests fall with every guard in its place: pytest ended with {code})\n{_indent(output)}"
    for guard in guards:
        yield End(guard, take_out(guard, copy) if code == _PASSED else result)


def ends_of(guards: Sequence[Guard], place: Path) -> Iterator[End]:
    """Results of guards, in the order in which they come, from copies in the folder `place`."""
    by_file = defaultdict[str, list[Guard]](list)
    for guard in guards:
        by_file[guard.test.partition("::")[0]].append(guard)
    copies = queue.SimpleQueue[Path]()
    for number in range(_COPIES):
        copies.put(copy_checkout(place / str(number)))

    ends = queue.SimpleQueue[End]()

    def take_one(group: Sequence[Guard]) -> None:
        copy = copies.get()
        try:
            for end in take_out_all(group, copy):
                ends.put(end)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(_COPIES) as pool:
        taken = [pool.submit(take_one, group) for group in sorted(by_file.values(), key=len, reverse=True)]
        while not (all(each.done() for each in taken) and ends.empty()):
            with suppress(queue.Empty):
                yield ends.get(timeout=_LOOK_S)
        for each in taken:
            each.result()


def _write(file: Path, text: str) -> None:
    """Write a module so that Python compiles it anew: compiled files are known by whole seconds and size."""
    file.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def _indent(output: str) -> str:
    return "\n".join(f"    {line}" for line in output.splitlines()[-12:])


def main(words: Sequence[str]) -> int:
    """Take out the guards that the command's words choose; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.guards.run")
    parser.add_argument("words", nargs="*", help="of the path of a guard's file; all without words")
    parser.add_argument("--syncs", action="store_true", help="calls that make data safe from a power loss")
    parser.add_argument("--some", type=int, help="take out so many, by chance")
    given = parser.parse_args(words)
    table: tuple[Guard, ...] = SYNCS if given.syncs else GUARDS
    chosen = [guard for guard in table if not given.words or any(word in guard.file for word in given.words)]
    if given.some is not None:
        chosen = random.SystemRandom().sample(chosen, min(given.some, len(chosen)))
    fell = 0
    print("| result | guard | test |\n|---|---|---|")  # noqa: T201
    with tempfile.TemporaryDirectory(prefix="guards-", dir="/var/tmp") as place:  # in sandboxes /tmp is another one
        for end in ends_of(chosen, Path(place)):
            fell += end.result == FELL
            print(end.row, flush=True)  # noqa: T201
    print(f"{len(chosen)} guards taken out, {fell} fell, {len(chosen) - fell} did not")  # noqa: T201
    return int(fell < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
