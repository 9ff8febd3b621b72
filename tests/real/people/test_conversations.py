"""People write what they write, and the whole agent's model is told all of it; each test names public reports."""

from __future__ import annotations

import pytest

from actors.discord.incoming.reading.listening import CANNOT_LISTEN
from domain.log.event import Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID, GUEST_ID, YOU_ID
from lab.playground.world.records import Upload
from tests.e2e.stage import events
from tests.patience import eventually
from tests.real.people.conftest import People
from tests.real.people.reports import REPORTS, SILENT, VOICE, embed, forward

ALERT = embed(title="Build 512 failed", description="migrate: column `age` is missing")
WEBHOOK = {"webhook_id": "920000000000000001"}
NEW_CALLS = ("GET", r"/(channels|guilds|users)/")


def alert(server: PlaygroundServer, channel: int = GENERAL_ID) -> int:
    """Post a webhook's message whose words are in an embed."""
    bot = server.add_user("Alerts", bot=True)
    return server.say(channel, user=bot, parts={**ALERT, **WEBHOOK})


@pytest.mark.req("X-219")
def test_all_messages_of_the_reports_reach_the_model_and_the_memory_and_notices_do_not(people: People) -> None:
    people.start()
    failures: list[str] = []
    for report in REPORTS:
        asked = people.ask(report.content, parts=report.parts)
        failures += [
            f"{report.case}: {words!r} not asked: {asked[-600:]}" for words in report.words if words not in asked
        ]
    turns = people.model.request_count
    voice = people.server.say(GENERAL_ID, parts=VOICE.parts)
    assert str(people.server.wait_for_reply(GENERAL_ID, after=voice)["content"]) == CANNOT_LISTEN
    for notice in SILENT:
        people.server.say(GENERAL_ID, notice.content, parts=notice.parts)
    people.server.say(GENERAL_ID, parts={"type": 777})
    last = people.ask("what was the launch word?")
    assert people.model.request_count == turns + 1
    assert "[message of an unknown kind: 777]" in last
    assert VOICE.words[0] in last
    logged = [event.content for event in events(people.data, "discord-channel", GENERAL_ID) if event.kind is Kind.USER]
    assert any("> The launch word is swordfish." in content for content in logged)
    assert len(logged) == len(REPORTS) + 3
    assert not failures


@pytest.mark.req("X-219")
def test_a_plain_turn_makes_no_call_but_those_of_its_answer(people: People) -> None:
    people.start()
    people.ask("hello")
    before = len(people.server.requests())
    people.server.name_in_guilds(GUEST_ID, "Captain")
    people.ask(f"is <@{GUEST_ID}> here?", user=YOU_ID)
    kinds = {
        (record.method, record.path.partition("/channels/")[2].partition("/")[2])
        for record in people.server.requests()[before:]
    }
    assert {method for method, _ in kinds} <= {"POST", "PATCH", "PUT", "DELETE"}, kinds


@pytest.mark.req("X-219")
def test_files_of_a_forward_are_fetched_as_files_of_the_message(people: People) -> None:
    people.start()
    people.ask("keep this", attachments=[Upload("plan.txt", b"Move on Tuesday at nine.", "text/plain")])
    (file,) = people.server.messages(GENERAL_ID)[0]["attachments"]
    asked = people.ask(parts=forward(content="the plan", attachments=[file]))
    assert asked.count("[attached file: plan.txt") == 2
    assert asked.count("Move on Tuesday at nine.") == 2


@pytest.mark.req("X-219")
def test_a_reply_to_a_webhooks_embed_quotes_its_words(people: People) -> None:
    """getpaseo/hub#64, NousResearch/hermes-agent#26733, anthropics/claude-plugins-official#1572."""
    people.start()
    said = alert(people.server)
    asked = people.ask("what is this?", reply_to=said)
    assert "> Alerts" in asked
    assert "Build 512 failed" in asked
    assert "column `age` is missing" in asked


@pytest.mark.req("X-219")
def test_a_threads_window_is_told_what_it_was_begun_from(people: People) -> None:
    """hermes-agent#34663, #45188; Roomote#632; typeclaw#663; openclaw#23097: begun live, before the start, missed."""
    server = people.server
    old = server.create_thread(GENERAL_ID, "old", message_id=alert(server))
    bare = server.create_thread(GENERAL_ID, "bare")
    forum = server.create_channel("help", forum=True)
    people.start(**{"discord.dms": True})
    live = server.create_thread(GENERAL_ID, "live", message_id=alert(server))
    before = len(server.requests("GET"))
    assert "Build 512 failed" in people.ask("can you explain this one?", live)
    assert len(server.requests("GET")) == before, "a notice had brought the starter"
    assert "Build 512 failed" in people.ask("and this one?", old)
    assert "Build 512 failed" not in people.ask("nothing here", bare)
    before = len(server.requests("GET"))
    second = people.ask("once more", old)
    assert second.count("Build 512 failed") == 1
    assert len(server.requests("GET")) == before
    people.stop()
    missed = server.create_thread(GENERAL_ID, "missed", message_id=alert(server))
    said = server.say(missed, "what happened?")
    people.start()
    assert "Build 512 failed" in people.wait_for_request(said, missed)
    assert forum


@pytest.mark.req("X-219")
def test_a_deleted_starter_is_shown_in_its_thread_no_more(people: People) -> None:
    people.start()
    starter = alert(people.server)
    thread = people.server.create_thread(GENERAL_ID, "live", message_id=starter)
    people.ask("look at this", thread)
    people.server.delete(GENERAL_ID, starter)
    eventually(lambda: any(event.kind is Kind.TOMBSTONE for event in events(people.data, "discord-thread", thread)))
    assert "Build 512 failed" not in people.ask("and now?", thread)


@pytest.mark.req("X-219")
def test_mentions_of_the_bots_own_role_and_mentions_by_an_edit_are_answered_once(people: People) -> None:
    """hermes-agent#67869, #23628, #65715; Roomote#438; by an edit: hermes-agent#21850, hebbot#67, slack-delegate-bot#6."""
    server = people.server
    own = server.add_role("Remembrancer", BOT_ID, bot_id=BOT_ID)
    other = server.add_role("Bots", BOT_ID)
    people.start(**{"discord.answer": "mentions"})
    server.say(GENERAL_ID, f"<@&{other}> not for the bot alone")
    assert f"<@&{own}> (Remembrancer, you)" in people.ask(f"<@&{own}> are you there?")
    said = server.say(GENERAL_ID, "what is the door code?")
    server.edit(GENERAL_ID, said, f"<@{BOT_ID}> what is the door code?")
    asked = people.wait_for_request(said)
    assert "what is the door code?" in asked
    server.edit(GENERAL_ID, said, f"<@{BOT_ID}> what is the door code, please?")
    server.say(GENERAL_ID, "just talking")
    people.ask(f"<@{BOT_ID}> bye")
    assert people.model.request_count == 3


@pytest.mark.req("X-219")
def test_one_person_has_one_name_live_and_caught_up(people: People) -> None:
    """rbignon on reliable-discord-client-irc-daemon#31; Discord-Link#116; discord-mcp#37."""
    server = people.server
    server.name_in_guilds(YOU_ID, "Skipper")
    server.name_in_guilds(GUEST_ID, "Captain")
    people.start()
    people.ask(f"ask <@{GUEST_ID}>")
    people.stop()
    server.say(GENERAL_ID, "I was here, too", user=GUEST_ID)
    said = server.say(GENERAL_ID, f"thanks, <@{GUEST_ID}>")
    people.start()
    people.model.wait_for_requests(3)
    asked = people.wait_for_request(said)
    assert asked.count("] Skipper:") == 2
    assert asked.count("] Captain:") == 1
    assert asked.count(f"<@{GUEST_ID}> (Captain)") == 2
    assert "Guest" not in asked
