"""Record of added skills: read as written, refused when damaged, compared file by file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.foreign_skill.record import NO_FILE, Entry, FileRecord, Record, differences, parse_record

A, B = "a" * 64, "b" * 64
FILES = {"SKILL.md": FileRecord(A, 10, is_executable=False), "scripts/a.py": FileRecord(B, 20, is_executable=True)}
ENTRY = Entry(FILES, "https://example.org/skills", "skills/tea", "c" * 40, "2026-11-29T12:00:00+00:00")

_FILES = st.dictionaries(
    st.sampled_from(["a", "b", "c/d"]),
    st.builds(FileRecord, st.sampled_from([A, B]), st.integers(0, 9), st.booleans()),
)


@given(st.dictionaries(st.sampled_from(["tea", "技能", "x-1"]), st.builds(Entry, _FILES, st.text(max_size=20))))
def test_a_record_is_read_as_it_was_written(skills: dict[str, Entry]) -> None:
    record = Record(skills)
    assert record.render().isascii()
    assert parse_record(record.render()) == record


def test_skills_come_and_go_by_name() -> None:
    record = Record().with_skill("tea", ENTRY).with_skill("coffee", ENTRY)
    assert record.without_skill("tea").skills == {"coffee": ENTRY}
    assert record.with_skill("tea", Entry({})).skills["tea"] == Entry({})


def _record_with(**fields: Any) -> str:
    document = json.loads(Record({"tea": ENTRY}).render())
    document["skills"]["tea"].update(fields)
    return json.dumps(document)


@pytest.mark.req("X-267")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{", "must be JSON"),
        ("[" * 5_000, "must be JSON"),
        ("[]", "must be an object with version 1 and skills"),
        ('{"version": 2, "skills": {}}', "must be an object with version 1 and skills"),
        ('{"version": 1, "skills": []}', "skills: must be an object"),
        ('{"version": 1, "skills": {"../tea": {}}}', "must be the name of a folder"),
        ('{"version": 1, "skills": {"tea": {}}}', "must have files, source, path, commit, added"),
        (_record_with(source=1), "source must be text"),
        (_record_with(files=[]), "files must be an object"),
        (_record_with(files={"../a": {}}), "must be a path below the skill"),
        (_record_with(files={"a": {}}), "must have sha256, size, is_executable"),
        (_record_with(files={"a": {"sha256": "x", "size": 1, "is_executable": True}}), "sha256 must be 64 hexadecimal"),
        (_record_with(files={"a": {"sha256": A, "size": -1, "is_executable": True}}), "size must be a number of bytes"),
        (_record_with(files={"a": {"sha256": A, "size": 1, "is_executable": 1}}), "is_executable true or false"),
    ],
)
def test_a_text_that_is_no_record_is_refused_with_its_rule(text: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        parse_record(text)


@pytest.mark.req("X-267")
def test_each_difference_is_told_by_path() -> None:
    now = {
        "SKILL.md": FileRecord(B, 12, is_executable=False),
        "new\u202e.py": FileRecord(A, 1, is_executable=False),
        "link": FileRecord(NO_FILE, 1, is_executable=False),
    }
    assert differences(FILES | {"link": FileRecord(A, 1, is_executable=False)}, now) == (
        "SKILL.md: has changed, from 10 to 12 bytes",
        "link: is no longer a file",
        "'new\\u202e.py': is new",
        "scripts/a.py: is missing",
    )
    flipped = {path: FileRecord(file.sha256, file.size, not file.is_executable) for path, file in FILES.items()}
    assert differences(FILES, flipped) == ("SKILL.md: can be run now", "scripts/a.py: can be run no more")


@given(_FILES, _FILES)
def test_there_is_no_difference_exactly_if_the_files_are_the_same(accepted: Any, now: Any) -> None:
    assert (differences(accepted, now) == ()) == (accepted == now)
