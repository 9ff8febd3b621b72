"""Figures of the pages, each the best of five: `python -m tests.browser.figures` prints them, beside what is wanted."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from lab.playground.server import PlaygroundServer
from tests.browser.rig import CHROMIUM
from tests.e2e.stage import Stage, eventually

TRIES = 5
USABLE_MS, SEEN_MS = 300, 250
_WATCH = """new MutationObserver(() => {
    const is = document.querySelector("#log [data-id]") && document.getElementById("text").placeholder;
    if (is && !window.usable) window.usable = performance.now();
  }).observe(document, {subtree: true, childList: true, attributes: true});"""
_PAINTED = """() => { window.seen = new Promise(resolve => { const box = document.getElementById("turn_of");
    new MutationObserver(() => box.textContent.includes("answered") && requestAnimationFrame(() =>
      resolve(Date.now()))).observe(box, {childList: true, characterData: true, subtree: true}); });
  document.getElementById("turn_of").textContent = ""; return null; }"""


def usable_ms(browser: Browser, url: str) -> float:
    """From navigation to a message box that can be typed in, with the channel's messages there."""
    return min(_usable(browser, url) for _ in range(TRIES))


def seen_ms(stage: Stage, observer: Page) -> float:
    """From an answer's being in the playground to the turn's end on the observer's page, painted."""
    return min(_seen(stage, observer, number) for number in range(TRIES))


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
    observer.evaluate(_PAINTED)
    stage.ask(f"run: echo {number}")
    answered = float(observer.evaluate("Date.now()"))
    return max(float(observer.evaluate("window.seen")) - answered, 0.0)


def measure() -> dict[str, float]:
    """Both figures, of an agent and a playground in this process."""
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
            return {"usable_ms": usable, "seen_ms": seen_ms(stage, observer)}
        finally:
            browser.close()
            stage.stop()


if __name__ == "__main__":
    found = measure()
    sys.stdout.write(f"page usable after {found['usable_ms']:.0f} ms (wanted <= {USABLE_MS})\n")
    sys.stdout.write(f"event painted after {found['seen_ms']:.0f} ms (wanted <= {SEEN_MS})\n")
