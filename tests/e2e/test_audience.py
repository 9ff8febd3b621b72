"""Words stay where they were said, however who may read them changes: by the turn, by a search, and in logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.log.event import Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID
from tests.e2e.stage import Stage, events
from tests.patience import eventually

VIEW = 1 << 10
SECRET = "The salary of Alice Kowalski will be cut to 41000 in March"
QUESTION = "What is the salary of Alice Kowalski in March?"


class Company:
    """A server with a lobby that everybody reads and a channel in which a secret is said."""

    def __init__(self, server: PlaygroundServer, data: Path) -> None:
        self.server = server
        self.office = server.create_channel("hr")
        self.hidden = server.add_role("contractor", server.add_user("Contractor"))
        self._data = data
        self.stage = self._start()
        self.said = 0

    def begin(self) -> None:
        """The secret is said."""
        self.said = self.server.say(self.office, SECRET)
        self.server.wait_for_reply(self.office, after=self.said)

    def _start(self) -> Stage:
        return Stage(self.server, self._data, channels=(GENERAL_ID, self.office))

    def restart(self) -> None:
        """End the agent and start another."""
        self.stage.stop()
        self.server.wait_until_online(online=False)
        self.stage = self._start()

    def has_taken_back(self) -> bool:
        """Whether the office's log says that something was deleted or edited."""
        return any(event.kind is Kind.TOMBSTONE for event in events(self._data, "discord-channel", self.office))

    def shown(self) -> str:
        """Everything that can be found out in the lobby."""
        by_turn = self.stage.ask(QUESTION)
        outcome = self.server.slash(GENERAL_ID, "memory search", {"query": "salary Alice Kowalski"})
        by_search = self.server.wait_for_answer(outcome.id)
        assert by_search is not None
        by_log = self.stage.ask("run: grep -rh 'Kowalski will be' logs/discord-channel/")
        return f"{by_turn}\n{by_search['content']}\n{by_log.partition('logs/')[2]}"


@pytest.fixture
def company(server: PlaygroundServer, tmp_path: Path) -> Iterator[Company]:
    made = Company(server, tmp_path / "data")
    try:
        made.begin()
        yield made
    finally:
        made.stage.stop()


def deny_role(company: Company) -> None:
    company.server.overwrite(company.office, company.hidden, deny=VIEW)


def deny_member(company: Company) -> None:
    company.server.overwrite(company.office, company.server.add_user("Stranger"), deny=VIEW, is_member=True)


def close(company: Company) -> None:
    company.server.overwrite(company.office, GUILD_ID, deny=VIEW)


def delete_channel(company: Company) -> None:
    company.server.delete_channel(company.office)


def delete_message(company: Company) -> None:
    company.server.delete(company.office, company.said)
    eventually(company.has_taken_back)


def delete_messages(company: Company) -> None:
    company.server.delete_many(company.office, [company.said])
    eventually(company.has_taken_back)


def edit_message(company: Company) -> None:
    company.server.edit(company.office, company.said, "Nothing to see here")
    eventually(company.has_taken_back)


def close_by_role(company: Company) -> None:
    company.server.overwrite(company.office, company.hidden, allow=VIEW)
    company.server.overwrite(company.office, GUILD_ID, deny=VIEW)


WALKS = [
    deny_role,
    deny_member,
    close,
    close_by_role,
    delete_channel,
    delete_message,
    delete_messages,
    edit_message,
]


def test_what_the_lobby_may_read_is_shown_there(company: Company) -> None:
    assert company.shown().count("41000") >= 3
    company.restart()
    assert company.shown().count("41000") >= 3


@pytest.mark.parametrize("walk", WALKS)
def test_what_the_lobby_may_read_no_more_is_not_shown_there(company: Company, walk: Callable[[Company], None]) -> None:
    walk(company)
    company.stage.ask("Good morning!")  # Discord sends what happens in order.

    assert "41000" not in company.shown()
    company.restart()
    assert "41000" not in company.shown()


def test_a_reply_that_waited_for_its_file_quotes_nothing_that_was_deleted_meanwhile(company: Company) -> None:
    server, data = company.server, company.stage.data
    server.inject("delay", r"GET /attachments/", delay_s=60)
    reply = server.say(company.office, "look at this", reply_to=company.said, attachments=[("a.txt", b"words")])
    delete_message(company)
    server.clear_faults()
    server.wait_for_reply(company.office, after=reply)

    said = [event for event in events(data, "discord-channel", company.office) if event.kind is Kind.USER]
    assert said[0].content == SECRET
    assert "41000" not in said[-1].meta_json
