"""Given: memories given to the bot for an answer, from the bot's log and observer."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from domain.log.parser import parse
from lab.playground.world.companion import Companion

WAIT_S = 3.0
"""Seconds to wait for the log: an answer is shown a moment before its log entry."""
LOOK_S = 0.2
MOST_KEPT = 500
_NONE: dict[str, Any] = {"given": []}


class GivenMemories:
    """Memories given to turns, kept as long as the page may ask again; used on the playground's loop."""

    def __init__(self) -> None:
        """Begin without knowledge."""
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()

    async def of(self, companion: Companion, channel: str, message: str) -> dict[str, Any]:
        """Ask the observer about the turn that a message answers; no memories unless the turn is the newest.

        Args:
            companion: The bot.
            channel: The id of the message's channel or thread.
            message: The id of the message.
        """
        if message in self._known:
            return self._known[message]
        for _ in range(round(WAIT_S / LOOK_S)):
            window, turn = await asyncio.to_thread(turn_of, companion.data_root, channel, message)
            if turn:
                break
            await asyncio.sleep(LOOK_S)
        else:
            return _NONE
        report = await _fetch_report(companion.observer_address(), window)
        if report.get("turn") != turn:
            return _NONE
        self._known[message] = report
        if len(self._known) > MOST_KEPT:
            self._known.popitem(last=False)
        return report


def turn_of(data_root: Path, channel: str, message: str) -> tuple[str, str]:
    """Window and turn of an answer, by the window's newest log; both empty without a log entry of the answer."""
    for folder in (data_root / "logs").glob(f"discord-*/{channel}"):
        newest = max(folder.glob("[0-9]*.md"), default=None)
        events = parse(newest.read_bytes()).events if newest is not None else ()
        metas = {str(each.event.id): each.event.meta_dict() for each in events}
        for meta in metas.values():
            message_ids = meta.get("message_ids")
            if isinstance(message_ids, list | tuple) and message in message_ids:
                turn = metas.get(str(meta.get("event")), {}).get("turn")
                return f"{folder.parent.name}/{channel}", str(turn or "")
    return "", ""


async def _fetch_report(address: str, window: str) -> dict[str, Any]:
    """Report of the observer on the newest turn of a window; empty without an observer."""
    if not address:
        return _NONE
    url = URL(address)
    head = {"Authorization": f"Bearer {url.query.get('token', '')}"}
    limit = aiohttp.ClientTimeout(total=WAIT_S)
    try:
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True), timeout=limit) as session,
            session.get(url.with_path("/memory").with_query(window=window), headers=head) as response,
        ):
            report = await response.json()
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return _NONE
    return report if isinstance(report, dict) and isinstance(report.get("given"), list) else _NONE
