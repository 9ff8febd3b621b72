"""What people delete or edit while nobody tells the bot is recalled no more once it is back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.discord.incoming import comparison
from domain.log.event import Event, Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID
from tests.e2e.stage import Stage, events, of_kind
from tests.patience import eventually

SECRET = "The salary of Alice Kowalski will be cut to 41000 in March"
QUESTION = "What is the salary of Alice Kowalski in March?"
READ_HISTORY = 1 << 16
HISTORY = r"GET /channels/\d+/messages"


class Office:
    """A channel in which a secret was said and answered."""

    def __init__(self, server: PlaygroundServer, data: Path) -> None:
        self.server = server
        self.channel = server.create_channel("office")
        self._data = data
        self.stage = self._start()
        self.before = self.said = self.after = 0

    def begin(self) -> None:
        """The secret is said."""
        self.before = self.say("Good morning!")
        self.said = self.say(SECRET)
        self.after = self.say("Good night!")

    def _start(self) -> Stage:
        return Stage(self.server, self._data, channels=(GENERAL_ID, self.channel))

    def say(self, text: str) -> int:
        said = self.server.say(self.channel, text)
        self.server.wait_for_reply(self.channel, after=said)
        return said

    def stop(self) -> None:
        self.stage.stop()
        self.server.wait_until_online(online=False)

    def start(self) -> None:
        self.stage = self._start()

    def taken_back(self) -> set[tuple[str, str]]:
        """Which messages were taken back, and why."""
        metas = [event.meta_dict() for event in self._events() if event.kind is Kind.TOMBSTONE]
        return {(str(meta["message_id"]), str(meta["why"])) for meta in metas}

    def words(self) -> list[str]:
        return [event.content for event in self._events() if event.kind is Kind.USER]

    def _events(self) -> list[Event]:
        return events(self._data, "discord-channel", self.channel)

    def shown(self) -> str:
        """Everything that can be found out about the secret, in the channel and out of it."""
        found = []
        for channel in (GENERAL_ID, self.channel):
            found.append(self.stage.ask(QUESTION, channel))
            outcome = self.server.slash(channel, "memory search", {"query": "salary Alice Kowalski"})
            answer = self.server.wait_for_answer(outcome.id)
            assert answer is not None
            found.append(str(answer["content"]))
            found.append(self.stage.ask("run: grep -rh 'Kowalski will be' logs/", channel).partition("logs/")[2])
        return "\n".join(found)


@pytest.fixture
def office(server: PlaygroundServer, tmp_path: Path) -> Iterator[Office]:
    made = Office(server, tmp_path / "data")
    try:
        made.begin()
        yield made
    finally:
        made.stage.stop()


@pytest.mark.req("X-50")
def test_what_is_deleted_while_the_agent_is_down_is_recalled_no_more(office: Office) -> None:
    office.stop()
    office.server.delete(office.channel, office.said)
    office.start()
    eventually(lambda: (str(office.said), "deleted") in office.taken_back())

    assert "41000" not in office.shown()
    assert {message_id for message_id, _ in office.taken_back()} == {str(office.said)}


def test_what_is_edited_while_the_agent_is_down_is_recalled_as_it_is_now(office: Office) -> None:
    office.stop()
    office.server.edit(office.channel, office.said, "The salary of Alice Kowalski stays as it is")
    office.server.edit(office.channel, office.after, "Good night!")
    office.start()
    eventually(lambda: (str(office.said), "edited") in office.taken_back())
    eventually(lambda: "The salary of Alice Kowalski stays as it is" in office.words())

    shown = office.shown()
    assert "41000" not in shown
    assert "stays as it is" in shown
    assert office.taken_back() == {(str(office.said), "edited")}


def test_the_newest_messages_are_missed_as_well(office: Office) -> None:
    office.stop()
    everything = [int(message["id"]) for message in office.server.messages(office.channel)]
    office.server.delete_many(office.channel, everything)
    office.start()
    eventually(
        lambda: {str(each) for each in (office.before, office.said, office.after)} <= set(dict(office.taken_back()))
    )

    assert "41000" not in office.shown()


def test_what_is_deleted_before_a_new_session_begins_is_recalled_no_more(office: Office) -> None:
    office.server.op9(resumable=False)
    office.server.delete_many(office.channel, [office.said, office.before])
    assert office.taken_back() == set()
    eventually(lambda: {str(office.said), str(office.before)} <= set(dict(office.taken_back())))

    assert "41000" not in office.shown()


def test_where_discord_does_not_answer_nothing_is_taken_back_and_it_is_asked_again(office: Office) -> None:
    office.stop()
    office.server.delete(office.channel, office.said)
    office.server.inject("503", HISTORY, times=3)
    office.start()
    eventually(lambda: (str(office.said), "deleted") in office.taken_back())

    assert set(dict(office.taken_back())) == {str(office.said)}


def test_nothing_is_taken_back_where_the_bot_is_shown_no_history(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.stop()
    office.server.delete(office.channel, office.said)
    office.server.overwrite(office.channel, BOT_ID, deny=READ_HISTORY, is_member=True)
    office.start()
    eventually(lambda: "the bot may not read its history" in caplog.text or bool(office.taken_back()))

    assert office.taken_back() == set()


def test_an_archived_threads_messages_are_missed(office: Office) -> None:
    server = office.server
    thread = server.create_thread(GENERAL_ID, "old")
    said = server.say(thread, SECRET)
    server.wait_for_reply(thread, after=said)
    office.stop()
    server.delete(thread, said)
    server.change_thread(thread, archived=True)
    office.start()

    eventually(lambda: bool(of_kind(events(office.stage.data, "discord-thread", thread), Kind.TOMBSTONE)))


def test_a_message_that_is_older_than_what_is_listed_is_not_missed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "MOST_LISTED", 2)
    office.stop()
    office.server.delete_many(office.channel, [office.before, office.after])
    office.start()
    eventually(lambda: bool(office.taken_back()))

    assert office.taken_back() == {(str(office.after), "deleted")}
