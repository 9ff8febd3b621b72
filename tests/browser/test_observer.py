"""The observer in a browser: a turn as it goes, the reasons of memory, the log; and how soon it is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.figures import seen_ms
from tests.browser.rig import findings
from tests.e2e.stage import Stage, eventually
from tests.patience import PATIENCE_S


@pytest.fixture
def observer(stage: Stage, tmp_path: Path, page: Page) -> Page:
    file = tmp_path / "data" / "observer.json"
    eventually(file.exists)
    page.goto(json.loads(file.read_text())["url"])
    expect(page.locator("#state_text")).to_have_text("live")
    return page


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


def test_a_thousand_windows_are_a_few_rows_of_the_page(observer: Page) -> None:
    script = """() => { const rows = {}; for (let i = 0; i < 1000; i += 1) rows[`discord-thread/1000000000000${String(i).padStart(5, "0")}`] = ["idle", 0, 0];
        const event = new MessageEvent("actors", {data: JSON.stringify({kinds: [], crash: null,
          windows: {all: true, rows, gone: [], count: 1000}})});
        window.testSource.dispatchEvent(event); }"""
    observer.add_init_script(
        "const Real = EventSource; window.EventSource = class extends Real "
        "{ constructor(...a) { super(...a); window.testSource = this; } };"
    )
    observer.reload()
    expect(observer.locator("#state_text")).to_have_text("live")
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
    """With other tests beside it; `python -m tests.browser.figures` tells how soon alone."""
    assert seen_ms(stage, observer) < PATIENCE_S * 1000 / 4
