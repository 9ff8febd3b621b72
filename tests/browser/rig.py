"""What a person does at the page, and what they see."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import CHROMIUM as FOUND
from tests.patience import PATIENCE_S

CHROMIUM = FOUND
expect.set_options(timeout=PATIENCE_S * 1000)


class Chat:
    """The playground's page, open and live."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        page.goto(url)
        expect(page.locator("#bot")).to_contain_text("is online")

    @property
    def text(self) -> Locator:
        return self.page.locator("#text")

    @property
    def log(self) -> Locator:
        return self.page.locator("#log")

    def say(self, text: str) -> None:
        self.text.fill(text)
        self.text.press("Enter")

    def expect(self, text: str) -> None:
        """Wait until it can be read among the messages."""
        expect(self.log).to_contain_text(text)


def findings(page: Page) -> list[tuple[str, list[str]]]:
    """What axe-core's rules find wrong, each with the elements."""
    violations = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in violations]
