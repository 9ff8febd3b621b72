"""Words of `/skills` and of `agent skills list`: the same table for a chat and for a terminal."""

from __future__ import annotations

import msgspec
import pytest

from actors.cli.wording import TerminalWording
from actors.part import Wording
from actors.skills.commands import MOST_SHOWN, MOST_WARNINGS, answer_list
from messages.base import RequestId
from messages.skills import SkillEntry, SkillsListed, SkillState

TEA = SkillEntry(
    name="tea", description="Makes *tea*.", path="/d/tea/SKILL.md", origin="https://example.org/x tea 0123", tokens=20
)
OWN = SkillEntry(name="own", description="Mine.", path="/d/own/SKILL.md", origin="/home/alice/skills", tokens=10)
MATE = SkillEntry(name="mate", description="a: is new", path="/d/mate", origin="/tmp/a.zip", state=SkillState.CHANGED)
LISTED = SkillsListed(request_id=RequestId("r"), skills=(TEA, OWN, MATE), warnings=("mate: changed",), tokens=100)


class Plain(Wording):
    """Wording of a chat without marks."""

    def sanitise(self, text: str) -> str:
        return text

    def quote(self, text: str, chars: int) -> str:
        return text.replace("*", "")[:chars]


@pytest.mark.req("X-268")
def test_a_terminal_has_a_table_with_the_sum_at_the_end() -> None:
    assert answer_list(LISTED, TerminalWording("skills")).text.splitlines() == [
        "name           state              tokens  from                            description",
        "tea            used                   20  https://example.org/x tea 0123  Makes *tea*.",
        "own            used                   10  /home/alice/skills              Mine.",
        "mate           changed, not used       0  /tmp/a.zip                      a: is new",
        "use of skills                         70",
        "total                                100                                  estimated tokens of each request",
        "finding: mate: changed",
    ]


@pytest.mark.req("X-268")
def test_a_chat_has_the_same_without_the_folders_of_the_machine() -> None:
    assert answer_list(LISTED, Plain()).text.splitlines() == [
        "**3 skills, 100 tokens of each request**",
        "- tea (https://example.org/x tea 0123; used; 20 tokens): Makes tea.",
        "- own (this machine; used; 10 tokens): Mine.",
        "- mate (this machine; changed, not used; 0 tokens): a: is new",
        "-# 70 of these tokens say how skills are used; tokens are estimated",
        "-# 1 finding, which `agent doctor` names",
    ]


def test_the_answer_is_bounded_however_many_there_are() -> None:
    many = msgspec.structs.replace(LISTED, skills=(TEA,) * (MOST_SHOWN + 5), warnings=("w",) * 100)
    chat = answer_list(many, Plain()).text.splitlines()
    assert len(chat) == MOST_SHOWN + 4
    assert "-# and 5 more" in chat
    assert answer_list(many, TerminalWording("skills")).text.count("finding: ") == MOST_WARNINGS


def test_without_skills_there_is_a_sum_of_nothing() -> None:
    empty = SkillsListed(request_id=RequestId("r"), skills=(), warnings=())
    assert answer_list(empty, Plain()).text.startswith("**0 skills, 0 tokens")
    assert answer_list(empty, TerminalWording("skills")).text.splitlines()[-1].startswith("total")
