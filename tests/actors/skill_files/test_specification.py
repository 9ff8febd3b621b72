"""The specification of agentskills.io: the cases of its reference validator (`skills-ref`), in our words, on our reader."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from actors.skill_files.folders import SkillFolders, read_skill
from domain.turn.skill import unknown_keys


def faults(text: str, folder: str = "my-skill") -> tuple[str, ...]:
    """Everything that the reference validator would name, too."""
    reading, fields = read_skill(text.encode(), PurePosixPath("/skills", folder, "SKILL.md"))
    return (*reading.faults, *(f"{key} is not of the specification" for key in unknown_keys(fields)))


def front(**fields: str) -> str:
    lines = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in fields.items())
    return f"---\n{lines}---\nBody\n"


VALID = {
    "plain": (front(name="my-skill", description="A test skill"), "my-skill"),
    "all fields": (
        front(name="my-skill", description="A test skill", license="MIT", metadata="{author: Test, version: 1.0}"),
        "my-skill",
    ),
    "tools": (front(name="my-skill", description="d", allowed_tools="Bash(jq:*) Bash(git:*)"), "my-skill"),
    "compatibility": (front(name="my-skill", description="d", compatibility="Requires Python 3.11+"), "my-skill"),
    "digits": (front(name="2-go", description="d"), "2-go"),
    "chinese": (front(name="技能", description="d"), "技能"),
    "russian with hyphens": (front(name="мой-навык", description="d"), "мой-навык"),
    "russian": (front(name="навык", description="d"), "навык"),
    "decomposed name, composed folder": (front(name="cafe\u0301", description="d"), "café"),
    "longest": (front(name="a" * 64, description="x" * 1024, compatibility="y" * 500), "a" * 64),
    # anthropics/claude-code issues 12971 and 14064: descriptions of several lines
    "block": ("---\nname: my-skill\ndescription: |\n  One.\n  Use when: two.\n---\n", "my-skill"),
    "folded": ("---\nname: my-skill\ndescription: >-\n  One\n  two.\n---\n", "my-skill"),
    # op7418/Humanizer-zh pull request 21: rules between paragraphs, and the ends of lines of another system
    "rules in the body": (front(name="my-skill", description="d") + "\n---\n\nmore\n\n---\n", "my-skill"),
    "other line ends": (front(name="my-skill", description="d").replace("\n", "\r\n"), "my-skill"),
    "byte order mark": ("\ufeff" + front(name="my-skill", description="d"), "my-skill"),
}
INVALID = {
    "no front matter": ("# No front matter", "must begin with front matter"),
    "unclosed": ("---\nname: my-skill\ndescription: d\n", "must begin with front matter between two lines"),
    "bad yaml": ("---\nname: [invalid\ndescription: broken\n---\n", "the front matter is not YAML"),
    "a list": ("---\n- just\n- a list\n---\n", "must be `key: value` lines"),
    "no name": (front(description="d"), "name none: is required"),
    "no description": (front(name="my-skill"), "description none: is required"),
    "empty description": (front(name="my-skill", description="''"), "description '': is required"),
    "upper case": (front(name="MySkill", description="d"), "small letters"),
    "upper case of another script": (front(name="НАВЫК", description="d"), "small letters"),
    "long name": (front(name="a" * 70, description="d"), "must be 1 to 64"),
    "hyphen first": (front(name="-my-skill", description="d"), "hyphens between them"),
    "hyphen last": (front(name="my-skill-", description="d"), "hyphens between them"),
    "two hyphens": (front(name="my--skill", description="d"), "single hyphens"),
    "underscore": (front(name="my_skill", description="d"), "letters, digits"),
    "other folder": (front(name="other", description="d"), "must equal the folder's, 'my-skill'"),
    "unknown key": (front(name="my-skill", description="d", unknown_field="x"), "unknown-field"),
    "long description": (front(name="my-skill", description="x" * 1100), "at most 1024 are allowed"),
    "long compatibility": (front(name="my-skill", description="d", compatibility="x" * 550), "at most 500"),
    # secondsky/claude-skills issue 60: a third of a collection was dropped in silence
    "a colon in an unquoted text": (front(name="my-skill", description="Use when: never"), "line 3: "),
}


@pytest.mark.req("X-267")
@pytest.mark.parametrize(("text", "folder"), VALID.values(), ids=VALID)
def test_what_the_specification_allows_has_no_fault(text: str, folder: str) -> None:
    assert faults(text, folder) == ()


@pytest.mark.req("X-267")
@pytest.mark.parametrize(("text", "rule"), INVALID.values(), ids=INVALID)
def test_what_the_specification_forbids_is_named_with_the_rule(text: str, rule: str) -> None:
    assert any(rule in fault for fault in faults(text))


@pytest.mark.req("X-267")
def test_the_file_of_a_skill_may_have_small_letters_and_capitals_come_first(tmp_path: Path) -> None:
    (tmp_path / "my-skill").mkdir()
    (tmp_path / "my-skill" / "skill.md").write_text(front(name="my-skill", description="Small."))
    assert [skill.description for skill in SkillFolders((tmp_path,)).scan().skills] == ["Small."]

    (tmp_path / "my-skill" / "SKILL.md").write_text(front(name="my-skill", description="Capitals."))
    found = SkillFolders((tmp_path,)).scan()
    assert [skill.description for skill in found.skills] == ["Capitals."]
    assert found.warnings == ()


def test_a_description_of_several_lines_is_known_as_one() -> None:
    for text in (VALID["block"][0], VALID["folded"][0]):
        reading, _ = read_skill(text.encode(), PurePosixPath("/skills/my-skill/SKILL.md"))
        assert reading.skill is not None
        assert reading.skill.description in ("One. Use when: two.", "One two.")
