"""Answers to commands, as users of other bots have reported them."""

from __future__ import annotations

import re

from lab.playground.world import defaults
from messages.base import MessageId
from messages.scheduler import ListedReminder, ListReminders, RemindersListed
from tests.actors.discord.commands.caller import ALL, Caller
from tests.actors.discord.conftest import StartLife
from tests.real.people.test_refusals import refuse

AGENT = re.compile(r"DiscordBot \(https?://\S+, [0-9]\S*\)")
ORIGINAL = r"PATCH /webhooks/\d+/[^/]+/messages/@original$"
SUPPRESS_EMBEDS = 4


def test_answers_show_no_previews_of_links_and_all_calls_name_the_bot(start_life: StartLife) -> None:
    """discord/discord-api-docs#6473, Lightcord/Lightcord#11, nirn-proxy#14: other user agents meet code 40333."""
    life = start_life(menu=ALL)
    you = Caller(life)
    question = life.say("see https://example.org")
    life.messages.wait(1)
    life.delivered("see https://example.org", answers_message_id=MessageId(str(question)))
    outcomes = [you.call("status"), you.call("help"), you.call("new")]
    answers = [you.answer(outcome) for outcome in outcomes]
    edits = [record.payload for record in life.playground.requests("PATCH", "@original")]
    assert len(edits) >= 3
    assert [edit for edit in edits if edit.get("flags") != SUPPRESS_EMBEDS] == []
    assert [answer for answer in answers if not answer["flags"] & SUPPRESS_EMBEDS] == []
    agents = {record.user_agent for record in life.playground.requests()}
    assert {agent for agent in agents if not AGENT.fullmatch(agent)} == set()


def test_refused_buttons_cost_an_answer_to_a_command_its_buttons_only(start_life: StartLife) -> None:
    life = start_life(menu=ALL)
    you = Caller(life)
    refuse(life.playground, 400, 50035, ORIGINAL, named="components")
    outcome = you.call("reminders")
    one = ListedReminder(id="r1", line="", msg="water", recur="none", next_due=None, next_local="")
    listed = RemindersListed(request_id=you.asked(ListReminders).request_id, reminders=(one,), left_out=0, invalid=())
    you.reply(listed)
    answer = you.answer(outcome)
    assert "water" in answer["content"]
    assert answer["components"] == []
    assert life.playground.messages(defaults.GENERAL_ID) == []
