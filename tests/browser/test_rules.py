"""Rules of accessibility on the playground's page, its dialogs and both themes; and how soon it can be used."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.figures import usable_ms
from tests.browser.rig import Chat, findings
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_finding(chat: Chat, scheme: Any) -> None:
    chat.page.emulate_media(color_scheme=scheme)
    chat.say("run: echo **bold** ||secret|| `code`")
    chat.expect("exit code 0")
    for each in ("#tour", ".trouble:not(#tour)"):
        chat.page.locator(each).evaluate("box => { box.open = true; }")
    assert findings(chat.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_dialog_has_no_finding(chat: Chat, scheme: Any) -> None:
    chat.page.emulate_media(color_scheme=scheme)
    chat.page.get_by_role("button", name="New thread").click()
    expect(chat.page.locator("#ask")).to_be_visible()
    assert findings(chat.page) == []


def test_the_page_can_be_used_soon(stage: Stage, browser: Browser) -> None:
    """With other tests beside it; `python -m tests.browser.figures` tells how soon alone."""
    stage.ask("hello")
    assert usable_ms(browser, stage.server.page_url) < PATIENCE_S * 1000 / 4
