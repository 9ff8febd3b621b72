"""The security page names a test for each promise, and each test is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.abuse.attacks_on_files import ON_FILES
from tests.abuse.attacks_on_kernel import ON_KERNEL
from tests.abuse.attacks_on_network import ON_NETWORK
from tests.abuse.attacks_on_processes import ON_PROCESSES
from tests.abuse.attacks_on_resources import EXHAUSTIONS
from tests.abuse.attacks_on_secrets import ON_SECRETS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_every_test_that_is_named_is_there() -> None:
    named = _NAMED.findall(PAGE)
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file() or f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8") + "def ("
    ]
    assert missing == []
    assert len(named) > 30


def test_every_promise_names_a_test_and_every_bound_its_code() -> None:
    sections = {section.partition("\n")[0]: section for section in PAGE.split("\n## ")}
    promises = [
        line
        for title, section in sections.items()
        if title not in ("Against whom", "What is not promised")
        for line in section.splitlines()
        if line.startswith("- ")
    ]
    assert [line for line in promises if "`tests/" not in line and "`actors/" not in line] == []
    assert len(promises) > 150


def test_the_numbers_of_attacks_are_those_that_there_are() -> None:
    modules = {
        "secrets": ON_SECRETS,
        "files": ON_FILES,
        "processes": ON_PROCESSES,
        "network": ON_NETWORK,
        "kernel": ON_KERNEL,
        "resources": EXHAUSTIONS,
    }
    for name, attacks in modules.items():
        assert f"{name} ({len(attacks)})" in PAGE
