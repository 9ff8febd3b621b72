"""Plain technical English: counts of faults by room may only fall, and prose that is changed has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.language import changed_with_faults, faults_in, read_ratchet, risen, survey


def test_no_room_has_more_faults_than_its_ratchet_allows() -> None:
    assert risen(survey(), read_ratchet()) == []


def test_the_ratchet_follows_every_fall() -> None:
    """Without this a room could rise to a count that it left; `python -m tests.docs.language` writes the file."""
    assert risen(read_ratchet(), survey()) == []


def test_files_whose_prose_was_changed_have_no_faults() -> None:
    """`python -m tests.docs.language FILE` lists them with their lines."""
    assert changed_with_faults(survey(), read_ratchet()) == []


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ('"""What a file says."""', "beginning"),
        ('"""Whether it works."""', "beginning"),
        ('"""Lock that nobody holds."""', "indefinite"),
        ('"""Set of that which it has of those of them."""', "pronouns"),
        ('"""Result of a trim."""', "dialect"),
        ('"""Figure as of 0a1b2c3d4e."""', "commit"),
        ("def told(): pass", "participle"),
        ("def measured(): pass", "participle"),
        ('class A:\n    x = 1\n    """Who knows it."""', "beginning"),
    ],
)
def test_a_breach_in_a_source_is_found(tmp_path: Path, source: str, rule: str) -> None:
    path = tmp_path / "source.py"
    path.write_text(source)
    assert rule in [fault.rule for fault in faults_in(path)]


@pytest.mark.parametrize(
    "source",
    [
        '"""Address of the readership service; None if there is none."""',
        '"""Render `what` it is."""',
        "def render_result(): pass",
        "def feed(): pass",
        "class A:\n    @property\n    def closed(self): pass",
    ],
)
def test_plain_sources_have_no_faults(tmp_path: Path, source: str) -> None:
    path = tmp_path / "source.py"
    path.write_text(source)
    assert faults_in(path) == []


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("You set the token, and the bot connects.", []),
        ("It is that which it says.", ["page pronouns", "pronouns"]),
        ("word " * 18 + "ends.", ["page sentences"]),
        ("| what nobody reads | it |\n\n```\nnobody\n```", []),
    ],
)
def test_a_page_is_judged_by_its_prose_alone(tmp_path: Path, text: str, rules: list[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text(text)
    assert [fault.rule for fault in faults_in(path)] == rules
