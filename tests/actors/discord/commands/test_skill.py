from __future__ import annotations

import pytest

from lab.playground.world import defaults
from messages.base import MessageId, UserId
from messages.context import UserMessage
from messages.skills import ListSkills, ReadSkill, SkillEntry, SkillRead, SkillsListed, SkillState
from messages.socket import Refused
from tests.actors.discord.commands.caller import ALL, Caller, fields
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import DISCORD, GENERAL
from tests.patience import eventually


@pytest.fixture
def you(start_life: StartLife) -> Caller:
    return Caller(start_life(menu=ALL))


def list_skills(you: Caller, *names: str, count: int = 1) -> None:
    asked = you.asked(ListSkills, count)
    skills = tuple(SkillEntry(name=name, description="d", path=f"/{name}") for name in names)
    you.reply(SkillsListed(request_id=asked.request_id, skills=skills, warnings=()))


def test_a_skill_is_carried_out_as_a_message_of_who_calls_it(you: Caller) -> None:
    outcome = you.call("skill", name="tea", arguments="two cups")
    asked = you.asked(ReadSkill)
    assert fields(asked) == {"name": "tea", "arguments": "two cups"}
    you.reply(SkillRead(request_id=asked.request_id, name="tea", text='<skill name="tea">boil</skill>'))
    told = you.asked(UserMessage)
    assert told == UserMessage(
        window=GENERAL,
        message_id=MessageId(str(outcome.id)),
        author_id=UserId(str(defaults.YOU_ID)),
        author_name="You",
        text='<skill name="tea">boil</skill>',
        sent_at=told.sent_at,
        reply_to=DISCORD,
        typed_chars=0,
        audience=f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:everyone",
    )
    assert you.said(outcome).startswith("The skill tea is at work")
    assert outcome.ephemeral


def test_a_skill_keeps_its_place_among_the_messages_while_it_is_read(you: Caller) -> None:
    you.life.say("first")
    you.call("skill", name="tea")
    asked = you.asked(ReadSkill)
    you.life.say("second")
    assert you.life.texts(1) == ["first"]
    you.reply(SkillRead(request_id=asked.request_id, name="tea", text="boil"))
    assert you.life.texts(3) == ["first", "boil", "second"]


def test_an_unknown_skill_is_refused_with_its_reason(you: Caller) -> None:
    outcome = you.call("skill", name="coffee")
    you.reply(Refused(request_id=you.asked(ReadSkill).request_id, reason="skill 'coffee': there is none of that name"))
    assert you.said(outcome) == "skill 'coffee': there is none of that name"
    you.life.say("hello")
    assert you.life.texts(1) == ["hello"]


def test_skills_that_nobody_reads_hold_the_channel_up_only_for_a_while(you: Caller) -> None:
    outcome = you.call("skill", name="tea")
    you.life.say("meanwhile")
    assert you.life.texts(1) == ["meanwhile"]
    assert "can't be read at the moment" in you.said(outcome)


def test_skills_count_as_messages_where_people_ask_too_much(start_life: StartLife) -> None:
    you = Caller(start_life(menu=ALL, turns_per_user=1))
    you.life.say("one")
    outcome = you.call("skill", name="tea")
    you.reply(SkillRead(request_id=you.asked(ReadSkill).request_id, name="tea", text="boil"))
    assert "at most 1 messages of one person" in you.said(outcome)
    assert you.life.texts(1) == ["one"]


def test_names_are_offered_from_memory_while_one_types(you: Caller) -> None:
    assert you.complete("skill", "name", "") == []
    list_skills(you, "brew-tea", "tea", *(f"skill-{number}" for number in range(30)))
    eventually(lambda: you.complete("skill", "name", "tea") == ["tea", "brew-tea"])
    assert len(you.complete("skill", "name", "")) == 25


def test_names_are_offered_to_nobody_who_is_not_heard(start_life: StartLife) -> None:
    life = start_life(menu=ALL, allowed_users=frozenset({str(defaults.YOU_ID)}))
    you, stranger = Caller(life), Caller(life, user=defaults.GUEST_ID)
    elsewhere = Caller(life, channel_id=defaults.ELSEWHERE_ID)
    list_skills(you, "tea")
    eventually(lambda: you.complete("skill", "name", "") == ["tea"])
    assert stranger.complete("skill", "name", "") == []
    assert elsewhere.complete("skill", "name", "") == []


@pytest.mark.req("X-268")
def test_the_skills_are_listed_with_their_cost_to_who_asks_alone(you: Caller) -> None:
    outcome = you.call("skills")
    asked = you.asked(ListSkills, call=outcome)  # the choices of /skill are asked for as well
    tea = SkillEntry(name="tea", description="Makes *tea*.", path="/tea", origin="shipped", tokens=20)
    mate = SkillEntry(name="mate", description="new", path="/m", origin="/m.zip", state=SkillState.CHANGED)
    you.reply(SkillsListed(request_id=asked.request_id, skills=(tea, mate), warnings=(), tokens=90))

    assert you.said(outcome).splitlines()[:3] == [
        "**2 skills, 90 tokens of each request**",
        r"- tea (shipped; used; 20 tokens): Makes \*tea\*.",
        "- mate (this machine; changed, not used; 0 tokens): new",
    ]
    assert outcome.ephemeral


def test_a_changed_skill_is_not_offered_for_a_call(you: Caller) -> None:
    assert you.complete("skill", "name", "") == []
    asked = you.asked(ListSkills)
    mate = SkillEntry(name="mate", description="new", path="/m", state=SkillState.CHANGED)
    tea = SkillEntry(name="tea", description="d", path="/tea")
    you.reply(SkillsListed(request_id=asked.request_id, skills=(mate, tea), warnings=()))
    eventually(lambda: you.complete("skill", "name", "") == ["tea"])
