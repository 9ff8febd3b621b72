"""Pictures of the documentation, taken of the real thing: `python -m tests.browser.pictures` writes them anew.

Each picture has beside it, in `pictures.json`, the digest of what it shows: the page's files and this scene. A test
compares them, so that a picture of a page that has changed since is noticed.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.actors.cli.command import inherited, start
from tests.browser.drawing import drawn
from tests.browser.rig import CHROMIUM, Chat
from tests.patience import PATIENCE_S
from tests.real.people.reports import forward, poll

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DIGESTS = Path(__file__).with_name("pictures.json")
VECTORS_MS = 4_000
"""In which the first words get their vectors, for which the model on this machine is loaded first."""
SHOWN = {
    "page.png": ("lab/playground/page", "tests/browser/pictures.py"),
    "messages.png": ("lab/playground/page", "tests/browser/pictures.py"),
    "locked.png": ("lab/playground/page", "tests/browser/pictures.py"),
    "past.png": ("lab/playground/page", "lab/playground/acts/past_year.py", "tests/browser/pictures.py"),
    "observer.png": ("actors/observer/page", "tests/browser/pictures.py"),
}
"""Picture -> what it shows: folders and files whose change calls for a new one."""


def digest(picture: str) -> str:
    """Of everything that `picture` shows."""
    found = hashlib.sha256()
    for place in SHOWN[picture]:
        path = ROOT / place
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            found.update(f"{file.name}\0{len(file.read_bytes())}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def take() -> None:
    """Write every picture, and the digests."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder, sync_playwright() as library:
        browser = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, shoot, options in (("new", _shoot, ()), ("old", _shoot_past, ("--past-year",))):
            command = [*start("agent"), "try", "--data", f"{folder}/{name}", "--no-browser", "--port", "0", *options]
            with subprocess.Popen(command, cwd=folder, env=inherited(), stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                address = re.search(r"http://\S+", process.stdout.readline())
                assert address is not None
                shoot(browser, address[0], Path(folder) / name)
                process.terminate()
                process.wait(PATIENCE_S)
        browser.close()
    DIGESTS.write_text(json.dumps({name: digest(name) for name in SHOWN}, indent=2) + "\n")


def _shoot(browser: Browser, address: str, data: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 860}, device_scale_factor=1)
    observer = context.new_page()
    chat = Chat(context.new_page(), address)
    expect(chat.page.locator(".start .thing").first).to_be_visible()
    observer.goto(json.loads((data / "observer.json").read_text())["url"])
    expect(observer.locator("#state_text")).to_have_text("live")
    _scene(chat.page)
    chat.page.screenshot(path=DOCS / "page.png")
    expect(observer.locator("#memory .score.similarity").first).to_be_visible()
    expect(observer.locator("#log")).to_contain_text("the chain holds")
    observer.screenshot(path=DOCS / "observer.png")
    _shoot_messages(chat.page)
    context.close()


def _shoot_past(browser: Browser, address: str, _data: Path) -> None:
    """A new thread, in which the bot quotes a message of last spring."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, device_scale_factor=1)
    chat = Chat(context.new_page(), address)
    expect(chat.page.locator("#log .message").first).to_be_visible()
    thread, speaker = _open_thread(chat.page, "I bake today.", "Baking")
    _do(chat.page, "say", channel_id=thread["id"], user_id=speaker, text="The rhubarb cake: how many minutes?")
    expect(chat.page.locator("#log")).to_contain_text("40 minutes at 180 degrees")
    chat.page.locator("details.given summary").click()
    chat.page.mouse.move(0, 0)
    expect(chat.page.locator("#toast")).to_be_hidden()
    chat.page.screenshot(path=DOCS / "past.png")
    context.close()


def _do(page: Page, name: str, /, **body: object) -> dict[str, str]:
    """Call an act of the playground; its result."""
    act = "([name, body]) => import('/page/store.js').then(({ post }) => post(name, body))"
    made: dict[str, str] = page.evaluate(act, [name, body])
    return made


def _open_thread(page: Page, first: str, name: str) -> tuple[dict[str, str], int | str]:
    """A new thread at a new message of #general, shown; and the account that opened it."""
    page.locator("#tour").evaluate("box => { box.open = false; }")
    general = page.evaluate("() => import('/page/store.js').then(({ state }) => state.botChannel)")
    speaker = page.evaluate("() => import('/page/store.js').then(({ state }) => state.speaker)")
    said = _do(page, "say", channel_id=general, user_id=speaker, text=first)
    thread = _do(page, "thread", channel_id=general, message_id=said["id"], name=name, user_id=speaker)
    page.locator(f"[data-place='{thread['id']}']").click()
    return thread, speaker


def _shoot_messages(page: Page) -> None:
    """A thread with a forwarded message, a poll and a sticker; then the thread is locked."""
    do = functools.partial(_do, page)
    thread, speaker = _open_thread(page, "Where do we go on Friday?", "Friday")
    counts = [{"id": 1, "count": 1, "me_voted": False}, {"id": 2, "count": 3, "me_voted": False}]
    parts = (
        forward(content="The kitchen closes at **ten** on Friday.", timestamp="2026-11-21T18:05:00+00:00"),
        poll("Where do we eat?", "Soup kitchen", "Pizza", results={"is_finalized": False, "answer_counts": counts}),
        {"sticker_items": [{"id": "3", "name": "wave_hello", "format_type": 1}]},
    )
    for number, part in enumerate(parts, 1):
        do("say", channel_id=thread["id"], user_id=speaker, text="", parts=part)
        expect(page.locator("#log .message .badge")).to_have_count(number)
    chart = {"filename": "chart.png", "content_type": "image/png", "data": base64.b64encode(drawn(320, 120)).decode()}
    do("say", channel_id=thread["id"], user_id=speaker, text="Our guests, week by week", attachments=[chart])
    expect(page.locator("#log .message .badge")).to_have_count(len(parts) + 1)
    page.wait_for_function("document.querySelector('.picture img')?.naturalWidth === 320")
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.locator("#log").evaluate("log => { log.scrollTop = log.scrollHeight; }")
    page.screenshot(path=DOCS / "messages.png")
    page.set_viewport_size({"width": 1280, "height": 560})
    do("thread_change", thread_id=thread["id"], locked=True)
    expect(page.locator("#text")).to_be_disabled()
    page.screenshot(path=DOCS / "locked.png")


def _scene(page: Page) -> None:
    """Try a command and a memory."""
    page.locator("#tour").evaluate("box => { box.open = true; }")
    for thing in ("command", "memory"):
        page.wait_for_timeout(VECTORS_MS)
        page.locator(f"#tour-list [data-thing={thing}]").click()
        expect(page.locator(f"#tour-list [data-thing={thing}] .done")).to_be_attached()
    expect(page.locator("#toast")).to_be_hidden()
    page.locator("details.given summary").click()
    page.mouse.move(0, 0)


if __name__ == "__main__":
    take()
