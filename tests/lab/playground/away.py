"""Words that fall into the moment in which the bot is cut off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from lab.playground.acts import people
from lab.playground.acts.observation import wait_until_online
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.patience import PATIENCE_S


@contextmanager
def said_while_away(playground: PlaygroundServer, *texts: str) -> Iterator[None]:
    """Says `texts` when the block has cut the bot off, before it can be back: on the server's own loop, in that turn.

    A thread of the test's may come to it when the bot has long resumed.
    """
    listening = threading.Event()

    async def say() -> None:
        listening.set()
        await wait_until_online(playground.hub, online=False, timeout_s=PATIENCE_S)
        for text in texts:
            people.say(playground.hub, defaults.GENERAL_ID, text)

    with ThreadPoolExecutor(1) as pool:
        posting = pool.submit(playground.wait, say(), PATIENCE_S)
        assert listening.wait(PATIENCE_S)
        yield
        posting.result(PATIENCE_S)
