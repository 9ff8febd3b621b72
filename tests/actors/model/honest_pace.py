"""Time of long honest answers, as a program: read by the agent's client of models, and by one that only takes bytes.

`PYTHONPATH=. .venv/bin/python -P -m tests.actors.model.honest_pace` prints both for models of several speeds.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import aiohttp

from actors.model.backend import AttemptProgress
from actors.model.config import ModelConfig
from actors.model.routed import RoutedBackend
from lab.load.remote import Remote
from lab.loopback_model.answers import Behaviour, Received, Step, Wire
from lab.loopback_model.server import LoopbackModel
from messages.base import Address, RequestId, Surface, Window
from messages.model import ModelRequest
from tests.actors.model.hostile_answers import HEAD, delta_event, end_event

TOKENS = 25_000
"""Of four characters: an answer of 100 kB, each token in an event of its own."""
STEP_S = 0.005
RATES = (200, 2_000, 10_000)
"""Tokens a second: a usual model, the fastest ones, and faster than any."""


def behave(request: Received) -> Behaviour:
    """An answer at the speed that the model's name tells."""
    count = int(float(request.body["model"]) * STEP_S)
    events = delta_event(content="word", padding="p" * 160) * count

    def steps() -> Iterator[Step]:
        yield 0.0, HEAD
        for _ in range(TOKENS // count):
            yield STEP_S, events
        yield 0.0, end_event()

    return Wire(steps, is_cut=True)


class _Model(LoopbackModel):
    def address(self) -> str:
        return self.api_base


@contextmanager
def honest_model() -> Iterator[LoopbackModel]:
    """A model for `Remote`."""
    with _Model(behave, kept_requests=0) as model:
        yield model


async def _by_agent(base: str, rate: int) -> float:
    config = ModelConfig(name="openai/any", api_base=base, api="openai")
    backend = RoutedBackend(config, lambda: datetime.now(UTC))
    window = Window(surface=Surface.DISCORD_THREAD, id="100000000000000000")
    request = ModelRequest(
        request_id=RequestId("r"), reply_to=Address("test"), window=window, system_prompt="", messages=(), tools=()
    )
    began = time.monotonic()
    completion = await backend.complete(f"openai/{rate}", request, AttemptProgress(lambda _piece: None))
    took_s = time.monotonic() - began
    await backend.close()
    assert len(completion.text) == TOKENS * 4
    return took_s


async def _by_bytes(base: str, rate: int) -> float:
    began = time.monotonic()
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base}/chat/completions", json={"model": str(rate)}) as response,
    ):
        async for data in response.content.iter_any():
            if b"[DONE]" in data:
                break
    return time.monotonic() - began


async def _measure(base: str, rates: tuple[int, ...]) -> None:
    for rate in rates:
        by_bytes_s, by_agent_s = await asyncio.gather(_by_bytes(base, rate), _by_agent(base, rate))
        more = by_agent_s / by_bytes_s - 1
        print(f"{rate:,} tokens a second: {by_bytes_s:.2f} s of bytes, {by_agent_s:.2f} s by the agent ({more:+.1%})")  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, choices=RATES, help="this one alone")
    rate = parser.parse_args().rate
    with Remote("honest-model", honest_model) as model:
        asyncio.run(_measure(str(model.call("address")), (rate,) if rate else RATES))


if __name__ == "__main__":
    main()
