"""What memory gave for an answer, under the answer."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from lab.playground.world.defaults import GENERAL_ID
from tests.browser.rig import Chat, findings
from tests.e2e.stage import Stage


def test_the_memories_of_an_answer_stand_under_it_with_where_they_are_from(stage: Stage, page: Page) -> None:
    stage.server.accompany(stage.data, lambda: None)
    stage.ask("The spare key is under the blue <b>pot</b> behind the shed.")
    stage.server.create_thread(GENERAL_ID, "Where things are")
    chat = Chat(page, stage.server.page_url)
    page.get_by_role("button", name="Where things are").first.click()
    chat.say("Where is the spare key?")
    chat.expect("blue")

    given = chat.log.locator("details.given")
    expect(given).to_have_count(1)
    given.locator("summary").click()
    expect(given.locator("q").first).to_contain_text("The spare key is under the blue <b>pot</b>")
    expect(given.locator("summary")).to_have_text("What it was given: 2 memories")
    assert findings(page) == []
    given.get_by_role("button", name="#general").first.click()
    chat.expect("The spare key is under the blue")


def test_an_answer_that_no_memory_was_given_for_has_none(stage: Stage, page: Page) -> None:
    stage.server.accompany(stage.data, lambda: None)
    chat = Chat(page, stage.server.page_url)
    with page.expect_response(lambda response: "/given?" in response.url) as told:
        chat.say("hello")
    assert told.value.json()["given"] == []
    expect(chat.log.locator("details.given")).to_have_count(0)
