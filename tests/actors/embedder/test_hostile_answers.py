"""Answers of a hostile provider of embeddings: neither key nor texts go elsewhere, and no answer takes the memory."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest

from actors.embedder.backend import CallError
from actors.embedder.providers import backend_of
from domain.memory.embedding import reason
from domain.memory.space import Provider, Space
from messages.embedder import TextRole
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply
from tests.actors.embedder.rig import DIMENSIONS, GOOGLE, OPENAI, Rig
from tests.patience import PATIENCE_S, eventually

DIRECT = Space(Provider.OPENAI, "test-embedding", DIMENSIONS)
SPACES = (GOOGLE, OPENAI, DIRECT)


@pytest.fixture(autouse=True)
def _litellm(litellm: None) -> None:
    """Some tests call it."""


def has_failed(rig: Rig) -> bool:
    """True once a call has failed, also when the actor has tried again since."""
    return int(rig.figures()["calls_failed"]) >= 1


@pytest.mark.req("X-235")
def test_neither_key_nor_texts_follow_a_redirection(make_rig: Callable[..., Rig], subtests: pytest.Subtests) -> None:
    """Google's key is in a header of its own, which clients take along to any server."""
    for space in SPACES:
        for status in (301, 302, 307, 308):
            with subtests.test(space=space.provider, status=status), LoopbackEmbeddings() as other:
                rig = make_rig(space=space)
                rig.server.always = Reply(status=status, body=b"", headers={"Location": f"{other.address}/take"})
                rig.ask("precious")
                eventually(partial(has_failed, rig))

                assert other.seen == []


def reason_of(space: Space, reply: Reply) -> str:
    """Reason of a call's failure, for a person."""

    async def call(address: str) -> str:
        keys = {"GEMINI_API_KEY": "test-key", "OPENAI_API_KEY": "test-key"}
        make = backend_of(space, api_keys=keys, api_base=address, timeout_s=PATIENCE_S)
        backend = make(lambda: datetime.now(UTC))
        try:
            await backend.embed(["one"], TextRole.DOCUMENT)
        except CallError as error:
            return reason(error.fault)
        finally:
            await backend.close()
        return ""

    with LoopbackEmbeddings() as server:
        server.always = reply
        return asyncio.run(call(server.address))


@pytest.mark.req("X-235")
def test_a_packed_answer_is_a_failure_that_says_so(google_genai: None, subtests: pytest.Subtests) -> None:
    bomb = Reply(body=gzip.compress(b" " * (80 << 20)), headers={"Content-Encoding": "gzip"})
    for space, words in (
        (GOOGLE, "the embedding provider sent a packed answer"),
        (OPENAI, "the provider sent a packed answer"),
        (DIRECT, "the embedding provider sent an answer of more than 67108864 bytes"),
    ):
        with subtests.test(space=space.provider):
            assert words in reason_of(space, bomb)


@pytest.mark.req("X-235")
def test_an_answer_without_end_is_given_up(google_genai: None, subtests: pytest.Subtests) -> None:
    for space in SPACES:
        with subtests.test(space=space.provider):
            assert "67108864 bytes" in reason_of(space, Reply(body=b" " * (66 << 20)))
