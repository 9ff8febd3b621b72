"""Headless Chromium, spoken to over its own debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from tests.patience import PATIENCE_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""None where there is none; it is no dependency of the project."""
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
_APPEARS = """new Promise(resolve => {
  const look = () => document.body.innerText.includes(TEXT) && resolve(true);
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
  look();
})"""


def picture(url: str, profile: Path, texts: tuple[str, ...], size: tuple[int, int] = (1280, 800)) -> bytes:
    """A PNG of the page at `url` once all `texts` can be read on it.

    Raises:
        TimeoutError: one of them did not appear within 20 seconds.
    """
    return asyncio.run(asyncio.wait_for(_picture(url, profile, texts, size), PATIENCE_S))


async def _picture(url: str, profile: Path, texts: tuple[str, ...], size: tuple[int, int]) -> bytes:
    # A browser that is killed leaves its socket in the temporary folder; the path of a profile is too long for one.
    with TemporaryDirectory(prefix="c-", ignore_cleanup_errors=True) as temporary:
        browser = _started(url, profile, size, temporary)
        try:
            async with aiohttp.ClientSession() as session:
                page = await _page(session, await asyncio.to_thread(_debugger, browser))
                async with session.ws_connect(page, max_msg_size=0) as socket:
                    return await _shoot(socket, texts)
        finally:
            browser.kill()
            browser.communicate()


def _started(url: str, profile: Path, size: tuple[int, int], temporary: str) -> subprocess.Popen[str]:
    assert CHROMIUM is not None
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", url]
    environment = os.environ | {"TMPDIR": temporary}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def _debugger(browser: subprocess.Popen[str]) -> str:
    """Host and port on which Chromium listens, from what it says at its start."""
    assert browser.stderr is not None
    for line in browser.stderr:
        if "DevTools listening on ws://" in line:
            return line.split("ws://")[1].split("/")[0]
    raise AssertionError("Chromium did not start")


async def _page(session: aiohttp.ClientSession, debugger: str) -> str:
    async with session.get(f"http://{debugger}/json/list") as answer:
        targets: list[dict[str, Any]] = await answer.json()
    return next(str(target["webSocketDebuggerUrl"]) for target in targets if target["type"] == "page")


async def _shoot(socket: aiohttp.ClientWebSocketResponse, texts: tuple[str, ...]) -> bytes:
    numbers = itertools.count(1)

    async def call(method: str, **arguments: Any) -> dict[str, Any]:
        number = next(numbers)
        await socket.send_json({"id": number, "method": method, "params": arguments})
        while (answer := await socket.receive_json(timeout=PATIENCE_S)).get("id") != number:
            continue
        found: dict[str, Any] = answer
        return found

    for text in texts:
        quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
        appears = _APPEARS.replace("TEXT", quoted)
        while "error" in await call("Runtime.evaluate", expression=appears, awaitPromise=True):
            continue  # the page that was asked gave way to the next one while it loaded
    shot = await call("Page.captureScreenshot", format="png")
    return base64.b64decode(shot["result"]["data"])
