from __future__ import annotations

from pathlib import PurePosixPath
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.skill import Skill, available_skills, invocation, read_front_matter, split_front_matter

PATH = PurePosixPath("/skills/tea/SKILL.md")
TEA = Skill(name="tea", description="Makes tea.", path=str(PATH))


def test_front_matter_is_what_stands_between_the_first_two_lines_of_dashes() -> None:
    assert split_front_matter("---\nname: a\n---\nbody\n---\n") == ("name: a\n", "body\n---\n")
    assert split_front_matter("\ufeff---\r\nname: a\r\n---\r\nbody") == ("name: a\r\n", "body")


def test_a_file_without_two_lines_of_dashes_at_its_top_has_none(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "body", "---", "---\nname: a\n", "\n---\nname: a\n---\n", "----\na: b\n---\n"]
    for text in cases:
        with subtests.test(text=text):
            assert split_front_matter(text) is None


def test_a_sound_file_gives_a_skill_and_no_fault() -> None:
    fields = {
        "name": "tea",
        "description": "Makes\n tea. ",
        "license": "MIT",
        "compatibility": "needs a kettle",
        "metadata": {"author": "us"},
        "allowed-tools": "bash",
        "disable-model-invocation": False,
        "hooks": 7,
    }

    reading = read_front_matter(fields, PATH)

    assert (reading.skill, reading.faults) == (TEA, ())


def test_a_file_that_does_not_say_when_to_use_it_is_no_skill(subtests: pytest.Subtests) -> None:
    for fields, fault in [
        (None, "front matter none: must be `key: value` lines"),
        (["name"], "front matter ['name']: must be `key: value` lines"),
        ({"name": "tea"}, "description none: is required, so the skill is not used"),
        ({"name": "tea", "description": " "}, "description ' ': is required, so the skill is not used"),
        ({"name": "tea", "description": 7}, "description 7: is required, so the skill is not used"),
    ]:
        with subtests.test(fields=fields, fault=fault):
            reading = read_front_matter(fields, PATH)

            assert reading.skill is None
            assert reading.faults == (fault,)


def test_a_lesser_fault_is_named_and_the_skill_is_used(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"name": None}, "name none: is required; 'tea' is used"),
        ({"name": "Tea"}, "name 'Tea': must be 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"name": "-tea"}, "name '-tea': must be 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"name": "te--a"}, "name 'te--a': must be 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"name": "coffee"}, "name 'coffee': must equal the folder's, 'tea'"),
        ({"description": "x" * 1025}, "description of 1025 characters: at most 1024 are allowed, the rest is cut off"),
        ({"license": 2}, "license 2: must be text"),
        ({"compatibility": "x" * 501}, f"compatibility '{'x' * 58}…: must be text of at most 500 characters"),
        ({"metadata": "x"}, "metadata 'x': must be `key: value` lines"),
        ({"allowed-tools": [1]}, "allowed-tools [1]: must be names of tools"),
        ({"disable-model-invocation": "yes"}, "disable-model-invocation 'yes': must be true or false"),
    ]
    for changed, fault in cases:
        with subtests.test(changed=changed, fault=fault):
            reading = read_front_matter({"name": "tea", "description": "Makes tea."} | changed, PATH)

            assert reading.skill is not None
            assert fault in reading.faults


@pytest.mark.req("S0-92")
def test_the_list_is_xml_that_gives_back_every_value() -> None:
    hostile = Skill(name="a<b", description='</skill> & <more> "it\'s"', path="/s/a&b/SKILL.md")

    text = available_skills([hostile, TEA])

    listed = ElementTree.fromstring(text[text.index("<available_skills>") :])
    first = [element.text for element in listed[0]]
    assert first == [hostile.name, hostile.description, hostile.path]
    assert len(listed) == 2
    assert "with bash: cat its location" in text


def test_a_hidden_skill_is_not_listed_and_no_skills_are_no_text() -> None:
    assert available_skills([Skill(name="x", description="y", path="/x/SKILL.md", hidden=True)]) == ""
    assert available_skills([]) == ""


def test_skills_beyond_the_budget_are_counted() -> None:
    many = [Skill(name=f"s{n}", description="d" * 500, path=f"/s{n}/SKILL.md") for n in range(50)]

    text = available_skills(many)

    assert len(text) <= 16_200
    assert text.endswith(
        f"{50 - text.count('<name>')} more skills are left out here, because the list would be too long."
    )


@pytest.mark.req("S0-98h")
def test_an_invocation_is_the_files_body_with_its_folder_and_the_arguments() -> None:
    text = "---\nname: tea\ndescription: x\n---\n\n# Tea\nRun {baseDir}/boil.sh\n"

    assert invocation(TEA, text, " two cups ") == (
        '<skill name="tea" location="/skills/tea/SKILL.md">\n'
        "Paths are relative to /skills/tea.\n\n"
        "# Tea\nRun /skills/tea/boil.sh\n"
        "</skill>\n\n"
        "User: two cups"
    )
    assert invocation(TEA, "no front matter", "").endswith("no front matter\n</skill>")


@given(st.dictionaries(st.sampled_from(["name", "description", "license", "metadata", "x"]), st.text() | st.none()))
def test_no_front_matter_breaks_out_of_its_line_in_the_list(fields: dict[str, object]) -> None:
    reading = read_front_matter(fields, PATH)

    if reading.skill is not None:
        text = available_skills([reading.skill])
        assert len(text.splitlines()) == len(available_skills([TEA]).splitlines())
