"""Real Chromium in front of the real agent; skipped where there is no Chromium, which is no dependency."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from lab.playground.server import PlaygroundServer
from tests.browser.rig import CHROMIUM, Chat
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S
from tests.running_playground import server as server


def pytest_itemcollected(item: pytest.Item) -> None:
    """pytest calls this for the tests below this folder only."""
    item.add_marker(pytest.mark.slow)
    if CHROMIUM is None and "browser" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.skip(reason="no Chromium here, and it is no dependency of the project"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a file's tests, each of which has a profile of its own in it.

    While the library is there, an event loop runs in this thread: tests of other files could have none of their own.
    """
    with sync_playwright() as library:
        made = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    """The agent in this process, with its observer."""
    given: dict[str, Any] = {"observer.enabled": True}
    made = Stage(server, tmp_path / "data", **given)
    yield made
    made.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page; at the end no script of ours may have failed in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_S * 1000)
    made = context.new_page()
    failures: list[str] = []
    made.on("pageerror", lambda error: failures.append(str(error)))
    yield made
    context.close()
    assert failures == []


@pytest.fixture
def chat(stage: Stage, page: Page) -> Chat:
    """The open page, with the bot online."""
    return Chat(page, stage.server.page_url)
