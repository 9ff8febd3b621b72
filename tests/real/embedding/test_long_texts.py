"""Texts that are longer than an embedding server takes: the beginning gets a vector, as much of it as fits."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from domain.memory.space import Provider, Space
from messages.embedder import TextRole, TextsEmbedded
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply, vector_of
from tests.actors.embedder.rig import DIMENSIONS, OPENAI, Rig

LIMIT = 300
"""Words of one text that the server takes."""
SERVER = Space(Provider.OPENAI, "test-embedding", 0)


@dataclass(frozen=True)
class Refusal:
    """Answer of a server to a call with a text that is too long; `{n}` is the text's size, `{most}` the limit."""

    source: str
    status: int
    body: str
    is_numbered: bool = False
    """True if the words allow to know how much would fit."""


REFUSALS = (
    Refusal(
        "openclaw/openclaw#138228, lemonade-sdk/lemonade#3591",
        500,
        '{"error":{"code":500,"message":"input ({n} tokens) is too large to process. increase the physical batch size '
        '(current batch size: {most})","type":"server_error"}}',
        is_numbered=True,
    ),
    Refusal(
        "gpustack/gpustack#472",
        500,
        '{"error":{"code":500,"message":"input is too large to process, please increase the physical batch size"}}',
    ),
    Refusal(
        "huggingface/text-embeddings-inference#356, letta-ai/letta#1453",
        413,
        '{"message":"Input validation error: `inputs` must have less than {most} tokens. Given: {n}","type":"Validation"}',
        is_numbered=True,
    ),
    Refusal("apecloud/ApeRAG#817", 413, '{"code":20042,"message":"input must have less than {most} tokens"}'),
    Refusal("openclaw/openclaw#28919", 400, '{"error":{"message":"the input length exceeds the context length"}}'),
    Refusal("openclaw/openclaw#39592", 500, '{"error":"Input is longer than the context size"}'),
    Refusal(
        "openclaw/openclaw#5696, geldata/gel#7438",
        400,
        '{"error":{"message":"This model\'s maximum context length is 8192 tokens, however you requested '
        '{thousands} tokens. Please reduce your prompt.","type":"invalid_request_error"}}',
        is_numbered=True,
    ),
    Refusal(
        "openclaw/openclaw#80226",
        400,
        '{"error":{"code":"invalid_argument","message":"embeddings max length per batch size is {most}"}}',
    ),
    Refusal("meilisearch/meilisearch#4370", 500, '{"error":"index-select invalid index {most} with dim size {most}"}'),
)


class ShortServer(LoopbackEmbeddings):
    """A server that answers a call with a refusal if the texts, or one of them, have more than `LIMIT` words."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self._refusal = refusal
        self.accepted: set[str] = set()

    def _next_reply(self, texts: list[str]) -> Reply:
        size = max(len(text.split()) for text in texts)
        if size <= LIMIT:
            self.accepted.update(texts)
            return Reply()
        numbers = {"{n}": size, "{most}": LIMIT, "{thousands}": round(8192 * size / LIMIT)}
        body = self._refusal.body
        for name, number in numbers.items():
            body = body.replace(name, str(number))
        return Reply(status=self._refusal.status, body=json.loads(body))


def settle(rig: Rig) -> None:
    """Let time pass until no request waits."""
    for _ in range(400):
        rig.wait_until(calls_in_flight=0)
        if not rig.figures()["requests_waiting"]:
            return
        rig.pass_time(1)
    raise AssertionError(rig.figures())


def embed(rig: Rig, *texts: str) -> list[bytes]:
    """Vectors of documents; a text that is put off is asked for again, as an index does it."""
    vectors, late = [b""] * len(texts), list(range(len(texts)))
    while late:
        request = rig.ask(*(texts[place] for place in late))
        settle(rig)
        answer = rig.answer(request)
        assert isinstance(answer, TextsEmbedded), answer
        for place, vector in zip(late, answer.vectors, strict=True):
            vectors[place] = vector
        late = [late[place] for place in answer.put_off]
        rig.pass_time(answer.again_s)
    return vectors


def unit(text: str) -> bytes:
    """Vector that the loopback server gives, as it is stored."""
    vector = np.array(vector_of(text, DIMENSIONS))
    return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


def long_text(number: int, words: int) -> str:
    return " ".join(f"w{number}x{place}" for place in range(words))


@pytest.mark.req("X-223")
def test_what_fits_of_a_long_text_gets_a_vector_and_all_others_theirs(litellm: None) -> None:
    failures: list[object] = []
    for refusal in REFUSALS:
        for space in (SERVER, OPENAI):
            texts = ["first", long_text(1, 900), "second", long_text(2, 340), *(f"text {n}" for n in range(28))]
            with ShortServer(refusal) as server:
                rig = Rig(server, space)
                try:
                    vectors, aside = embed(rig, *texts), rig.figures()["texts_without_vector"]
                finally:
                    rig.system.stop()
                calls = len(server.seen)
            for place, text in enumerate(texts):
                sent = [each for each in server.accepted if text.startswith(each) and unit(each) == vectors[place]]
                least = min(len(text.split()), LIMIT) * (0.8 if refusal.is_numbered else 0.45)
                if not sent or len(sent[0].split()) < least:
                    failures.append((refusal.source, space.provider, place, sent and len(sent[0].split())))
            if aside or calls > 40:
                failures.append((refusal.source, space.provider, "aside", aside, "calls", calls))
    assert not failures


@pytest.mark.req("X-223")
def test_a_long_question_is_asked_by_its_beginning(litellm: None) -> None:
    failures: list[object] = []
    for refusal in REFUSALS[:-2]:
        with ShortServer(refusal) as server:
            rig = Rig(server, SERVER)
            try:
                question = long_text(1, 900)
                first = rig.answer(rig.ask(question, role=TextRole.QUERY, deadline_s=5.0))
                calls = len(server.seen)
                again = rig.answer(rig.ask(question, role=TextRole.QUERY, deadline_s=5.0))
            finally:
                rig.system.stop()
            if not (isinstance(first, TextsEmbedded) and first.vectors[0]):
                failures.append((refusal.source, first))
            elif first.vectors != getattr(again, "vectors", ()) or len(server.seen) != calls:
                failures.append((refusal.source, "asked again", again))
    assert not failures
