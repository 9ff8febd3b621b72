"""Scripts that the offline model finds in the list of skills, whatever form the list has."""

from __future__ import annotations

import pytest

from domain.offline.skills import find_script
from domain.turn.skill import Skill, list_skills

FOLDER = "/opt/agent's own/skills"


def skill(name: str) -> Skill:
    """A skill with a script of its own."""
    path = f"{FOLDER}/{name}"
    command = f'"{path}/scripts/run.py" now --msg "it\'s # tea"'
    return Skill(name=name, description=f"Does {name}.", path=f"{path}/SKILL.md", hidden=False, commands=(command,))


@pytest.mark.parametrize("others", [0, 8])
def test_a_script_is_found_in_a_short_list_and_in_a_long_one(others: int) -> None:
    listed = list_skills([skill("send"), *(skill(f"other-{number}") for number in range(others))]).text
    assert find_script(listed, "send/scripts/run.py") == f"'{FOLDER}/send/scripts/run.py'".replace("t's", "t'\"'\"'s")


def test_words_about_a_script_are_no_offer_of_it() -> None:
    for line in ("/x/send/scripts/run.py", "$ cat /x/send/scripts/run.py", "$ 'open /x/send/scripts/run.py", "$ "):
        assert find_script(f"{line}\n", "send/scripts/run.py") == "", line
