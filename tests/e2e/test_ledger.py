"""The ledger through the whole agent: equal to the token with what the providers counted, whatever happens to a call."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from actors.ledger.file import Damage, entries
from lab.loopback_model.server import Answer, Behaviour, Call, CutOff, LoopbackModel, Received, Refusal, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.model import CallKind, CallOutcome, CallSpent
from tests.actors.cli.command import run
from tests.actors.embedder.loopback import LoopbackEmbeddings
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S, eventually

REST_S = 1.0
"""In which no call begins where no text waits."""


@dataclass
class Provider:
    """Answers as it is told, and counts what it tells that each answer took."""

    sent: list[tuple[int, int]] = field(default_factory=list)
    count: int = 0
    faults: dict[str, Behaviour] = field(
        default_factory=lambda: {
            "refuse me": Refusal(500),
            "cut me": CutOff("begun, and then"),
            "stall": Stall("thinking"),
            "kill me": Stall("thinking"),
        }
    )
    """Words in a prompt -> what comes of the first call that ends with it."""

    def behave(self, request: Received) -> Behaviour:
        self.count += 1
        last = request.body["messages"][-1]
        text = str(last.get("content") or "") if last["role"] == "user" else ""
        for words in tuple(self.faults):
            if words in text:
                return self.faults.pop(words)
        usage = (100 * self.count + 7, self.count)
        self.sent.append(usage)
        if "tool" in text and request.body.get("tools"):
            return Answer(calls=(Call("bash", json.dumps({"command": "echo 62710561"})),), usage=usage)
        return Answer(text=f"answer {self.count}", usage=usage)


class CountingEmbeddings(LoopbackEmbeddings):
    """Tells of each call how many tokens it took, and counts them."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[int] = []

    def _vectors(self, *arguments: Any) -> dict[str, Any]:
        body = super()._vectors(*arguments)
        tokens = 1_000 + len(self.sent)
        self.sent.append(tokens)
        return body | {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


@pytest.fixture
def embeddings() -> Iterator[CountingEmbeddings]:
    with CountingEmbeddings() as made:
        yield made


def told(data: Path, kind: CallKind) -> list[CallSpent]:
    damage = Damage()
    found = [spent for spent in entries(data / "usage", damage=damage) if spent.kind is kind]
    assert damage.lines == 0
    return found


def counted(calls: list[CallSpent]) -> list[tuple[int, int]]:
    """What providers said, and nobody guessed."""
    return sorted(
        (spent.prompt_tokens, spent.completion_tokens)
        for spent in calls
        if not spent.is_estimated and (spent.prompt_tokens or spent.completion_tokens)
    )


def is_all_told(data: Path, embeddings: CountingEmbeddings, sent_before: int) -> bool:
    """Whether every text has its vector, and the call that brought it its entry: no further call is to come."""
    sent = tuple(embeddings.sent)
    if len(sent) == sent_before or len(counted(told(data, CallKind.EMBEDDING))) < len(sent):
        return False
    time.sleep(REST_S)
    return sent == tuple(embeddings.sent)


@pytest.mark.req("X-190")
def test_the_ledger_has_every_token_that_was_counted(
    server: PlaygroundServer, embeddings: CountingEmbeddings, tmp_path: Path
) -> None:
    provider = Provider()
    with LoopbackModel(provider.behave) as model:
        more = (
            f'[embedder]\nprovider = "litellm"\nmodel = "openai/text-embedding-3-small"\n'
            f'api_base = "{embeddings.address}/v1"\ndimensions = 16\n'
            f"[layers]\nworkspace = true\ncurated = true\nobjects = true\n"
        )
        process = Process(server, tmp_path / "data", model="hosted_vllm/test", api_base=model.api_base, more=more)
        process.start()
        try:
            for text in ("hello", "use a tool", "refuse me", "cut me"):
                said = server.say(GENERAL_ID, text)
                server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
            before = model.request_count
            server.say(GENERAL_ID, "stall")
            model.wait_for_requests(before + 1)
            server.slash(GENERAL_ID, "stop")
            eventually(lambda: told(tmp_path / "data", CallKind.MODEL)[-1].outcome is CallOutcome.CANCELLED)
            eventually(lambda: is_all_told(tmp_path / "data", embeddings, 0))
            sent, before = len(embeddings.sent), model.request_count
            said = server.say(GENERAL_ID, "kill me")
            model.wait_for_requests(before + 1)
            eventually(lambda: len(counted(told(tmp_path / "data", CallKind.EMBEDDING))) == len(embeddings.sent))
            process.kill()
            process.start()
            server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
            eventually(lambda: is_all_told(tmp_path / "data", embeddings, sent))
        finally:
            process.terminate()

    calls = told(tmp_path / "data", CallKind.MODEL)
    assert counted(calls) == sorted(provider.sent)
    assert len(calls) == provider.count - 1, "a call that a kill cut has no entry"
    assert provider.faults == {}
    assert {spent.outcome for spent in calls} == set(CallOutcome) - {CallOutcome.KILLED}
    vectors = told(tmp_path / "data", CallKind.EMBEDDING)
    assert counted(vectors) == sorted((tokens, 0) for tokens in embeddings.sent)
    assert len(vectors) == len(embeddings.seen)
    printed = run("agent", "usage", "--by", "model", "--json", "--data", str(tmp_path / "data"), cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    sums = json.loads(printed.stdout)["sums"]
    ours = sums["hosted_vllm/test"]
    guessed = sum(spent.prompt_tokens + spent.completion_tokens for spent in calls if spent.is_estimated)
    assert ours["calls"] == len(calls)
    assert ours["estimated_tokens"] == guessed > 0
    assert ours["prompt_tokens"] + ours["completion_tokens"] - guessed == sum(map(sum, provider.sent))
