"""Traces through the whole agent: a turn reaches a collector as spans, and no word of it does."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from lab.loopback_model.server import Answer, Call, LoopbackModel, Received
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.observer.tracing.collector import Collector, attributes
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S

SECRET = "marmalade-91"


def behave(request: Received) -> Answer:
    if request.body.get("tools") and request.body["messages"][-1]["role"] == "user":
        return Answer(calls=(Call("bash", json.dumps({"command": f"echo {SECRET}"})),), usage=(100, 7))
    return Answer(text=f"said {SECRET}", usage=(120, 5))


@pytest.mark.req("X-194")
def test_a_turn_is_a_trace_across_actors_without_a_word_of_it(server: PlaygroundServer, tmp_path: Path) -> None:
    with Collector() as collector, LoopbackModel(behave) as model:
        more = f'[observer]\nenabled = true\n[traces]\nendpoint = "{collector.address}"\n'
        process = Process(server, tmp_path / "data", model="hosted_vllm/test", api_base=model.api_base, more=more)
        process.start()
        try:
            said = server.say(GENERAL_ID, f"run it, {SECRET}")
            server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
            end_s = time.monotonic() + PATIENCE_S
            while not collector.spans and time.monotonic() < end_s:
                time.sleep(0.05)
        finally:
            process.terminate()

    by_id = {span.span_id: span for span in collector.spans}
    (root,) = (span for span in by_id.values() if span.name == "turn")
    assert attributes(root)["remembrancer.outcome"] == "answered"
    assert str(GENERAL_ID) in attributes(root)["remembrancer.window"]
    calls = [attributes(span) for span in by_id.values() if span.name == "model ModelRequest"]
    assert [(each["gen_ai.usage.input_tokens"], each["gen_ai.usage.output_tokens"]) for each in calls] == [
        (100, 7),
        (120, 5),
    ]
    assert {"memory PrepareTurn", "shell RunBash"} <= {span.name for span in by_id.values()}
    for span in by_id.values():
        assert span is root or span.parent_span_id in by_id
        assert root.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
    assert abs(root.end_time_unix_nano / 1e9 - time.time()) < 10 * PATIENCE_S
    assert collector.bodies
    assert not [body for body in collector.bodies if SECRET.encode() in body]
