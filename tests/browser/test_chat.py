"""A person at the page: talks, stops, has something remembered, is reminded, and comes back."""

from __future__ import annotations

import base64
import re
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from actors.kernel import SystemClock
from actors.kernel.clock import Timer
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUEST_ID
from tests.browser.drawing import drawn
from tests.browser.rig import Chat
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S
from tests.real.people.reports import forward, poll

FAST = 20.0
"""How much faster than ours the agent's clock is, where a test waits for a reminder."""


def test_a_conversation(chat: Chat) -> None:
    chat.say("run: echo $((7919*7919))")
    chat.expect("62710561")
    expect(chat.text).to_have_value("")


def test_forwards_polls_stickers_and_locked_threads_look_as_in_discord(server: PlaygroundServer, chat: Chat) -> None:
    counts = [{"id": 1, "count": 1, "me_voted": False}, {"id": 2, "count": 3, "me_voted": False}]
    lunch = poll("Where do we eat?", "Soup", "Pizza", results={"is_finalized": True, "answer_counts": counts})
    said = server.say(GENERAL_ID, parts=forward(content="The launch is at **nine**."))
    server.say(GENERAL_ID, parts=lunch)
    server.say(GENERAL_ID, parts={"sticker_items": [{"id": "3", "name": "wave_hello", "format_type": 1}]})
    expect(chat.log.locator(".forward")).to_contain_text("Forwarded")
    expect(chat.log.locator(".forward strong, .forward b")).to_have_text("nine")
    expect(chat.log).not_to_contain_text("The original message was deleted")
    expect(chat.log.locator(".poll")).to_contain_text("Where do we eat?")
    expect(chat.log.locator(".poll li")).to_have_text(["Soup25 %", "Pizza75 %"])
    expect(chat.log.locator(".poll")).to_contain_text("4 votes · Poll closed")
    expect(chat.log.locator(".sticker")).to_contain_text("wave_hello")
    thread = server.create_thread(GENERAL_ID, "launch", message_id=said)
    chat.page.locator(f"[data-place='{thread}']").click()
    expect(chat.text).to_be_enabled()
    server.change_thread(thread, locked=True)
    expect(chat.text).to_be_disabled()
    expect(chat.text).to_have_attribute("placeholder", "This thread has been locked by a moderator.")
    server.change_thread(thread, locked=False)
    expect(chat.text).to_be_enabled()


@pytest.mark.req("X-266")
def test_a_picture_that_the_bot_sends_is_seen_in_its_message(server: PlaygroundServer, chat: Chat) -> None:
    chat.say(f"run: base64 -d <<< {base64.b64encode(drawn(30, 20)).decode()} > plot.jpg; wc -c < plot.jpg")
    chat.say("send me plot.jpg")
    image = chat.log.locator(".picture img")
    expect(image).to_have_attribute("alt", "plot.png")
    chat.page.wait_for_function("document.querySelector('.picture img').naturalWidth === 30")
    server.say(GENERAL_ID, "guess", attachments=[("SPOILER_end.png", drawn(7, 7)), ("a.svg", b"<svg/>")])
    expect(chat.log.locator(".file")).to_contain_text("a.svg")
    expect(image).to_have_count(1)
    chat.log.get_by_role("button", name="Spoiler").click()
    expect(image).to_have_count(2)


def test_who_presses_enter_twice_says_it_once(chat: Chat) -> None:
    chat.page.locator("#files, input[type=file]").first.set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"one\n" * 100_000}
    )
    chat.text.fill("run: echo $((40+2)) with a file")
    chat.text.evaluate(
        "box => { for (const _ of [1, 2]) box.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})); }"
    )
    chat.expect("42 with a file")
    chat.say("run: echo $((40+3))")
    chat.expect("43")
    assert chat.log.inner_text().count("run: echo $((40+2)) with a file") == 1


def test_stop_ends_a_command_that_runs(chat: Chat) -> None:
    chat.say("run: sleep 200; echo too late")
    chat.page.get_by_role("button", name="Stop").click()
    chat.expect("Stopped.")
    assert "\ntoo late" not in chat.log.inner_text()


def test_what_is_to_be_remembered_is_given_in_another_place(chat: Chat) -> None:
    chat.text.fill("/remember")
    chat.text.press("Enter")
    chat.page.locator("#command input, #command textarea").first.fill("Anne's cat is called Mimi")
    chat.page.locator("#command input, #command textarea").first.press("Enter")
    chat.expect("Remembered")
    chat.page.get_by_role("button", name="New thread").click()
    chat.page.get_by_label("Name").fill("cats")
    chat.page.get_by_role("button", name="Create").click()
    expect(chat.page.locator("#place")).to_contain_text("cats")
    chat.say("What is Anne's cat called?")
    chat.expect("Mimi")


@pytest.fixture
def fast_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's wall clock and its timers, many times as fast as ours, from now on."""
    now, later = SystemClock.now, SystemClock.call_later
    began = now(SystemClock())

    def fast_now(self: SystemClock) -> datetime:
        return began + timedelta(seconds=FAST * (now(self) - began).total_seconds())

    def fast_later(self: SystemClock, delay_s: float, action: object) -> Timer:
        return later(self, delay_s / FAST if delay_s > 1 else delay_s, action)  # type: ignore[arg-type]

    monkeypatch.setattr(SystemClock, "now", fast_now)
    monkeypatch.setattr(SystemClock, "call_later", fast_later)


@pytest.mark.req("X-236")
def test_a_question_before_a_command_is_decided_by_a_button(
    server: PlaygroundServer, page: Page, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"shell.approve": "always"}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        chat = Chat(page, server.page_url)
        chat.say("run: echo $((7919*7919))")
        page.get_by_role("button", name="Allow", exact=True).click()
        chat.expect("62710561")
        chat.expect("Allowed by")
        expect(page.get_by_role("button", name="Allow", exact=True)).to_have_count(0)
    finally:
        stage.stop()


@pytest.mark.usefixtures("fast_clock")
def test_a_reminder_is_said_when_it_is_due(chat: Chat) -> None:
    chat.say("remind me in 1 minute to stretch")
    chat.expect("Reminder set")
    chat.expect("⏰ stretch")


def test_five_hundred_messages_can_be_scrolled(server: PlaygroundServer, page: Page) -> None:
    for number in range(500):
        server.say(GENERAL_ID, f"message number {number}")
    page.goto(server.page_url)
    log = page.locator("#log")
    expect(log).to_contain_text("message number 499")
    until = time.monotonic() + PATIENCE_S
    while "message number 0" not in log.inner_text().split("\n") and time.monotonic() < until:
        log.evaluate("box => { box.scrollTop = 0; box.dispatchEvent(new Event('scroll')); }")
        page.wait_for_timeout(50)
    numbers = [int(each) for each in re.findall(r"message number (\d+)", log.inner_text())]
    assert numbers == list(range(500))
    log.evaluate("box => { box.scrollTop = 0; }")
    server.say(GENERAL_ID, "one more, below", user=GUEST_ID)
    newest = page.locator("#newest")
    expect(newest).to_be_visible()
    newest.click()
    expect(newest).to_be_hidden()


@pytest.mark.parametrize("path", ["/control/state", f"/control/channels/{GENERAL_ID}/messages"])
def test_what_could_not_be_fetched_is_fetched_again(stage: Stage, page: Page, path: str) -> None:
    stage.server.say(GENERAL_ID, "said before")
    page.route(f"**{path}", lambda route: route.abort(), times=1)
    Chat(page, stage.server.page_url).expect("said before")


def test_what_was_given_may_not_be_told(stage: Stage, page: Page) -> None:
    stage.server.accompany(stage.data, lambda: None)
    chat = Chat(page, stage.server.page_url)
    with page.expect_request(lambda request: "/given?" in request.url):
        page.route("**/given?**", lambda route: route.abort())
        chat.say("hello")
    page.evaluate("new Promise(resolve => setTimeout(resolve, 0))")  # where an error would be told


def test_a_links_words_turn_none_but_their_own(chat: Chat) -> None:
    chat.say("[safe\u202e](https://moc.doog.bad.example/)")
    chat.expect("(moc.doog.bad.example)")

    for part in ("a", ".host"):
        shown = chat.log.locator(f".body p {part}").first
        assert shown.evaluate("part => getComputedStyle(part).unicodeBidi") == "isolate"


def test_two_tabs_show_the_same(chat: Chat, stage: Stage, browser: Browser) -> None:
    context = browser.new_context()
    other = Chat(context.new_page(), stage.server.page_url)
    chat.say("run: echo seen by $((40+2))")
    other.expect("seen by 42")
    other.say("run: echo and by $((42+1))")
    chat.expect("and by 43")
    context.close()


def test_a_phone_shows_the_chat_and_the_places_in_a_drawer(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 390, "height": 844})
    chat.say("run: echo small")
    chat.expect("small")
    assert chat.page.evaluate("document.documentElement.scrollWidth") <= 390
    chat.page.get_by_role("button", name="Show channels").click()
    expect(chat.page.get_by_role("button", name="elsewhere")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.page.locator("#veil")).to_be_hidden()


def test_dark_is_dark(chat: Chat) -> None:
    def brightness() -> int:
        colour = str(chat.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        return sum(int(each) for each in re.findall(r"\d+", colour)[:3])

    chat.page.emulate_media(color_scheme="light")
    light = brightness()
    chat.page.emulate_media(color_scheme="dark")
    assert brightness() < 150 < 600 < light


def test_everything_is_reached_by_the_keyboard_alone(chat: Chat) -> None:
    page = chat.page
    page.evaluate("document.activeElement.blur()")
    seen: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(str(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()")))
    for wanted in ("theme", "speaker", "new-thread", "attach", "text", "general", "elsewhere"):
        assert wanted in seen, seen
    page.locator("#log .thing").first.focus()
    page.keyboard.press("Enter")
    chat.expect("42")
    expect(page.locator("#log .thing .done, #tour-list .thing .done").first).to_be_attached()


def test_who_comes_back_finds_everything(chat: Chat, tmp_path: Path) -> None:
    chat.say("run: echo kept $((1+1))")
    chat.expect("kept 2")
    chat.page.reload()
    chat.expect("kept 2")
    assert list((tmp_path / "data" / "logs").rglob("*.md"))
