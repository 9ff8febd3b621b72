"""Answers of embedding servers that spoil texts: each good text has its own vector, and the reason names what is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from messages.embedder import EmbeddingFailed
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply, Vectors
from tests.actors.embedder.rig import DIMENSIONS, GOOGLE, OPENAI, Rig
from tests.real.embedding.test_long_texts import SERVER, embed, long_text, unit

HARM = "«harm»"


@dataclass(frozen=True)
class Harm:
    """Answer of a server to each call with a text that has `HARM` in it."""

    source: str
    reply: Reply


def spoilt(value: object) -> Reply:
    """Answer in which one vector is spoilt; the server does not say whose."""

    def spoil(vectors: Vectors) -> Vectors:
        return [value if place == len(vectors) - 1 else vector for place, vector in enumerate(vectors)]

    return Reply(spoil=spoil, only_for=HARM)


def refusal(status: int, message: str) -> Reply:
    return Reply(status=status, body={"error": {"message": message}}, only_for=HARM)


HARMS = (
    Harm("ollama/ollama#15582, tinyhumansai/openhuman#2834", refusal(500, "json: unsupported value: NaN")),
    Harm("ollama/ollama#14657", spoilt([math.nan] * DIMENSIONS)),
    Harm("ollama/ollama#12611", spoilt([0.0] * DIMENSIONS)),
    Harm("stargate/data-api#1630", Reply(status=502, body=b"", only_for=HARM)),
    Harm("abhigyanpatwari/GitNexus#2795", Reply(body=b'{"data": [{"embedding": [0.1, 0.', only_for=HARM)),
    Harm("assafelovic/gpt-researcher#1526", Reply(body={"object": "list", "data": []}, only_for=HARM)),
    Harm("TencentCloud/TencentDB-Agent-Memory#1020", Reply(spoil=lambda vectors: vectors[:-1], only_for=HARM)),
    Harm("HKUDS/LightRAG#3841", Reply(spoil=lambda vectors: [*vectors, *vectors], only_for=HARM)),
    Harm("HKUDS/LightRAG#3232", spoilt([1.0] * (DIMENSIONS // 2))),
)
"""The text with `HARM` is the last of its call, where a spoilt vector stands."""


def test_a_bad_text_spoils_no_other_and_a_long_one_has_the_vector_of_its_beginning(litellm: None) -> None:
    failures: list[object] = []
    for harm in HARMS:
        for space in (GOOGLE, OPENAI, SERVER):
            if space == GOOGLE and harm.reply.body and isinstance(harm.reply.body, dict) and "data" in harm.reply.body:
                continue
            short, long = f"short {HARM}", f"{long_text(1, 400)} {HARM}"
            texts = [
                *(f"text {number}" for number in range(12)),
                long,
                *(f"more {number}" for number in range(9)),
                short,
            ]
            with LoopbackEmbeddings() as server:
                server.always = harm.reply
                rig = Rig(server, space)
                try:
                    vectors, figures = embed(rig, *texts), rig.figures()
                finally:
                    rig.system.stop()
                asked = {text for seen in server.seen for text in seen.texts}
            good = {text: vectors[place] for place, text in enumerate(texts) if HARM not in text}
            wrong = [text for text, vector in good.items() if vector != unit(text)]
            beginning = [text for text in asked if long.startswith(text) and unit(text) == vectors[texts.index(long)]]
            if wrong or not beginning or vectors[-1] or figures["texts_without_vector"] != 1:
                failures.append((harm.source, space.provider, wrong, len(beginning), figures))
    assert not failures


def test_a_vector_stays_with_its_text_when_vectors_are_missing(litellm: None) -> None:
    """amd/gaia#3530, mem0ai/mem0#5966: of 25 texts 20 vectors come, and all behind the gap are another text's."""
    failures: list[object] = []
    for space in (GOOGLE, OPENAI, SERVER):
        for keep in (1, 20, 24):
            with LoopbackEmbeddings() as server:
                server.script = [Reply(spoil=lambda vectors, keep=keep: vectors[:keep])]  # type: ignore[misc]
                rig = Rig(server, space)
                try:
                    texts = [f"text {number}" for number in range(25)]
                    vectors = embed(rig, *texts)
                finally:
                    rig.system.stop()
            if vectors != [unit(text) for text in texts]:
                failures.append((space.provider, keep))
    assert not failures


@pytest.mark.req("X-223")
def test_the_reason_names_both_sizes_where_the_model_has_another_one(litellm: None) -> None:
    """rohitg00/agentmemory#1373, topoteretes/cognee#3547: each vector is thrown away, and the operator is told nothing."""
    failures: list[object] = []
    for space in (GOOGLE, OPENAI):
        for size in (DIMENSIONS // 2, DIMENSIONS * 2):
            with LoopbackEmbeddings() as server:
                server.always = Reply(spoil=lambda vectors, size=size: [[0.1] * size for _ in vectors])  # type: ignore[misc]
                rig = Rig(server, space)
                try:
                    rig.ask("one", "two")
                    rig.wait_until(calls_in_flight=0)
                    rig.pass_time(1)
                    rig.wait_until(calls_in_flight=0)
                    question = rig.query("question")
                    rig.wait_until(calls_in_flight=0)
                    rig.pass_time(9)
                    told = rig.answer(question)
                    rig.wait_until(calls_in_flight=0)
                    figures = rig.figures()
                finally:
                    rig.system.stop()
            reason = told.reason if isinstance(told, EmbeddingFailed) else repr(told)
            wanted = f"vectors of {size} dimensions", f"dimensions is {DIMENSIONS}"
            said = (str(figures["last_error"]), reason)
            failures += [(space.provider, words) for words in said if not all(each in words for each in wanted)]
    assert not failures


def test_texts_that_get_no_numbers_beside_others_are_asked_for_alone(litellm: None) -> None:
    """jundot/omlx#3507, huggingface/text-embeddings-inference#51: 200, and null for all texts but the longest one."""
    failures = []

    def spoil(vectors: Vectors) -> Vectors:
        return [vector if place == len(vectors) - 1 else [None] * DIMENSIONS for place, vector in enumerate(vectors)]

    for space in (GOOGLE, OPENAI, SERVER):
        texts = [f"text {number}" for number in range(20)]
        with LoopbackEmbeddings() as server:
            server.always = Reply(spoil=spoil)
            rig = Rig(server, space)
            try:
                vectors, figures = embed(rig, *texts), rig.figures()
            finally:
                rig.system.stop()
        if vectors != [unit(text) for text in texts] or figures["texts_without_vector"]:
            failures.append((space.provider, figures))
    assert not failures
