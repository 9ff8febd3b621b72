"""The observer in a browser: a turn as it goes, the reasons of memory, the log; and how soon it is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lab.playground.world.defaults import GENERAL_ID
from tests.browser.figures import seen_ms
from tests.browser.rig import findings
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S, eventually

_TURNS = """async (count) => {
  window.asks = 0;
  const real = window.fetch;
  window.fetch = (path, ...rest) => { window.asks += String(path).startsWith("/memory"); return real(path, ...rest); };
  for (let n = 0; n < count; n += 1) {
    const turn = {window: `discord-thread/1234567890123450${String(n).padStart(2, "0")}`, turn: `t${n}`, ms: 1,
      outcome: "answered", left_out: 0, spans: []};
    window.testSource.dispatchEvent(new MessageEvent("turn", {data: JSON.stringify(turn)}));
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}"""
"""So many turns end in so many windows, twenty a second; `asks` counts the questions about memory meanwhile."""
_SEEN = """(is) => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => !is});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def observer(stage: Stage, tmp_path: Path, page: Page) -> Page:
    return _open(tmp_path, page)


def _open(folder: Path, page: Page) -> Page:
    file = folder / "data" / "observer.json"
    eventually(file.exists)
    page.goto(json.loads(file.read_text())["url"])
    expect(page.locator("#state_text")).to_have_text("live")
    return page


def _catch_source(observer: Page) -> None:
    """Have the page hear what the test dispatches on `testSource`, and nothing of the agent any more."""
    observer.add_init_script(
        "const Real = EventSource; window.EventSource = class extends Real "
        "{ constructor(...a) { super(...a); window.testSource = this; } };"
    )
    observer.reload()
    expect(observer.locator("#state_text")).to_have_text("live")
    observer.evaluate("window.testSource.close()")


def test_a_turn_is_drawn_with_what_it_was_given(stage: Stage, observer: Page) -> None:
    stage.ask("The spare key is under the blue pot")
    thread = stage.server.create_thread(910000000000000011, "keys")
    assert "blue pot" in stage.ask("Where is the spare key?", thread)

    expect(observer.locator("#turn .span.memory").first).to_be_visible()
    expect(observer.locator("#memory")).to_contain_text("The spare key is under the blue pot")
    expect(observer.locator("#memory .score.similarity").first).to_be_visible()
    expect(observer.locator("#log")).to_contain_text("the chain holds")
    expect(observer.locator("#actors tbody")).to_contain_text("memory")
    expect(observer.locator("#windows [role=option]")).to_have_count(2)
    observer.locator("#windows").focus()
    observer.keyboard.press("ArrowDown")
    expect(observer.locator("#follow")).to_be_visible()


def test_nothing_that_is_said_turns_what_stands_beside_it(stage: Stage, observer: Page) -> None:
    stage.ask("A \u202edetrevni\u2066 word")

    expect(observer.locator("#log")).to_contain_text("A \\u202edetrevni\\u2066 word")
    assert not {"\u202e", "\u2066"} & set(observer.locator("body").inner_text())


def test_a_thousand_windows_are_a_few_rows_of_the_page(observer: Page) -> None:
    script = """() => { const rows = {}; for (let i = 0; i < 1000; i += 1) rows[`discord-thread/1000000000000${String(i).padStart(5, "0")}`] = ["idle", 0, 0];
        const event = new MessageEvent("actors", {data: JSON.stringify({kinds: [], crash: null,
          windows: {all: true, rows, gone: [], count: 1000}})});
        window.testSource.dispatchEvent(event); }"""
    _catch_source(observer)
    observer.evaluate(script)
    expect(observer.locator("#windows_count")).to_have_text("1,000")
    assert 5 < observer.locator("#windows .row").count() < 40
    observer.locator("#windows").evaluate("box => { box.scrollTop = box.scrollHeight; }")
    expect(observer.locator("#windows .row").last).to_have_attribute("aria-posinset", "1000")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_its_rules_of_accessibility_hold(stage: Stage, observer: Page, scheme: Any) -> None:
    stage.ask("run: echo hello")
    observer.emulate_media(color_scheme=scheme)
    expect(observer.locator("#turn .span").first).to_be_visible()
    assert findings(observer) == []


def test_what_happens_is_seen_soon(stage: Stage, observer: Page) -> None:
    """With other tests beside it; `python -m tests.browser.figures` tells how soon alone.

    The page may be first: it hears of the answer while Discord still takes it.
    """
    assert seen_ms(stage, observer, times=1)[0] < PATIENCE_S * 1000 / 4


def test_who_is_refused_is_told_that_the_address_is_new(stage: Stage, observer: Page) -> None:
    stage.ask("hello")
    expect(observer.locator("#windows [role=option]")).to_have_count(1)
    observer.context.clear_cookies()
    observer.locator("#windows [role=option]").click()
    expect(observer.locator("#state_text")).to_contain_text("open its new address")
    assert "live" not in (observer.locator("#state").get_attribute("class") or "")


def test_a_chosen_window_shows_no_other_windows_turn(stage: Stage, tmp_path: Path, page: Page) -> None:
    stage.ask("hello")
    _open(tmp_path, page)
    thread = stage.server.create_thread(GENERAL_ID, "keys")
    stage.ask("run: echo 1", thread)
    expect(page.locator("#turn_of")).to_contain_text(f"{thread}, answered")
    page.locator("#windows .row", has_text=str(GENERAL_ID)).click()
    expect(page.locator("#turn")).to_contain_text("No turn of it was heard")
    expect(page.locator("#turn .span")).to_have_count(0)
    expect(page.locator("#log")).to_contain_text("hello")
    page.locator("#follow").click()
    expect(page.locator("#turn_of")).to_contain_text(f"{thread}, answered")


def test_however_many_turns_end_reasons_are_asked_for_now_and_then(observer: Page) -> None:
    _catch_source(observer)
    observer.evaluate(_TURNS, 60)
    assert 1 <= observer.evaluate("window.asks") <= 3
    expect(observer.locator("#turn_of")).to_contain_text("discord-thread/123456789012345059")


def test_a_page_that_is_not_seen_looks_at_nothing(stage: Stage, observer: Page) -> None:
    assert "tell" in vars(stage.agent.system)
    observer.evaluate(_SEEN, False)
    eventually(lambda: "tell" not in vars(stage.agent.system))
    expect(observer.locator("#state_text")).to_have_text("rests while it is not seen")
    observer.evaluate(_SEEN, True)
    expect(observer.locator("#state_text")).to_have_text("live")
    eventually(lambda: "tell" in vars(stage.agent.system))
