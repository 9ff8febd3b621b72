"""Figures of the pages: `python -m tests.browser.figures` prints them, beside what is wanted."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from domain.log.event import Event, Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.browser.rig import CHROMIUM
from tests.e2e.stage import Stage, events
from tests.patience import eventually

TRIES = 5
"""Of opening the page, of which the best counts."""
EVENTS = 20
"""Of which the median and the worst count."""
USABLE_MS, SEEN_MS = 300, 250
_WATCH = """new MutationObserver(() => {
    const is = document.querySelector("#log [data-id]") && document.getElementById("text").placeholder;
    if (is && !window.usable) window.usable = performance.now();
  }).observe(document, {subtree: true, childList: true, attributes: true});"""
_PAINTED = """() => { window.seen = new Promise(resolve => { const box = document.getElementById("turn_of");
    new MutationObserver(() => box.textContent.includes("answered") && requestAnimationFrame(() =>
      requestAnimationFrame(() => resolve(Date.now())))).observe(box, {childList: true, characterData: true, subtree: true}); });
  document.getElementById("turn_of").textContent = ""; return null; }"""


def usable_ms(browser: Browser, url: str) -> float:
    """From navigation to a message box that can be typed in, with the channel's messages there."""
    return min(_usable(browser, url) for _ in range(TRIES))


def seen_ms(stage: Stage, observer: Page, times: int = EVENTS) -> list[float]:
    """From an answer's delivery, as the agent dates it in its log, to the frame behind the turn's end on the page."""
    return sorted(_seen(stage, observer, number) for number in range(times))


def _usable(browser: Browser, url: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(url)
    eventually(lambda: page.evaluate("window.usable || 0") > 0)
    took = float(page.evaluate("window.usable"))
    context.close()
    return took


def _seen(stage: Stage, observer: Page, number: int) -> float:
    known = len(_deliveries(stage))
    observer.evaluate(_PAINTED)
    stage.ask(f"run: echo {number}")
    painted = float(observer.evaluate("window.seen"))
    eventually(lambda: len(_deliveries(stage)) > known)
    return painted - _deliveries(stage)[-1].at.timestamp() * 1000


def _deliveries(stage: Stage) -> list[Event]:
    found = events(stage.data, "discord-channel", GENERAL_ID)
    return [each for each in found if each.kind is Kind.DELIVERY]


def measure() -> tuple[float, list[float]]:
    """When the page is usable, and when events are painted, of an agent and a playground in this process."""
    given: dict[str, Any] = {"observer.enabled": True}
    with (
        tempfile.TemporaryDirectory(prefix="figures-") as folder,
        PlaygroundServer() as server,
        sync_playwright() as library,
    ):
        data = Path(folder) / "data"
        stage = Stage(server, data, **given)
        browser = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            stage.ask("hello")
            usable = usable_ms(browser, server.page_url)
            eventually((data / "observer.json").exists)
            observer = browser.new_page()
            observer.goto(json.loads((data / "observer.json").read_text())["url"])
            expect(observer.locator("#state_text")).to_have_text("live")
            return usable, seen_ms(stage, observer)
        finally:
            browser.close()
            stage.stop()


if __name__ == "__main__":
    usable, seen = measure()
    sys.stdout.write(f"page usable after {usable:.0f} ms, best of {TRIES} (wanted <= {USABLE_MS})\n")
    middle, worst = statistics.median(seen), seen[-1]
    sys.stdout.write(f"event painted after {middle:.0f} ms, {worst:.0f} at worst, of {EVENTS} (wanted <= {SEEN_MS})\n")
