"""A real language model on this machine: SmolLM2 135M in llama.cpp's server, asked through the ModelActor."""

from __future__ import annotations

import os
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from messages.base import RequestId
from messages.model import CancelModel, LocalModelReady, OpenLocalModel, local_model_address
from tests.actors.local_model.rig import MODEL, NAME, Rig, weights
from tests.patience import eventually

STORY = "Count from 1 to 500, one number a line. Do not stop before 500."
LONG_PROMPT = "You are a helpful assistant in a chat of several people. " * 20


@pytest.mark.slow
@pytest.mark.crashes
@pytest.mark.req("X-214")
def test_a_model_on_this_machine_answers_streams_counts_stops_and_comes_back(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.takes_time = True  # a killed server is noticed, and begun again, in some tenths of a second
    rig.store.add(NAME, weights(), lambda *_: None)
    rig.system.start()
    try:
        first = rig.reply(rig.ask("Say hello.", system_prompt=LONG_PROMPT))
        assert first.text.strip()
        assert first.model == f"local/{NAME}"
        assert first.usage.prompt_tokens > 200
        assert first.usage.completion_tokens > 0
        assert (first.usage.cached_tokens, first.usage.cost_usd) == (0, 0.0)

        second = rig.reply(rig.ask("Say goodbye.", system_prompt=LONG_PROMPT)).usage
        assert second.cached_tokens > 0.9 * second.prompt_tokens

        story, other = rig.ask(STORY), rig.ask(STORY, window="2")
        deltas = (rig.delta(story), rig.delta(other))  # each window streams while the other does
        assert all(deltas)
        for request_id in (story, other):
            rig.system.tell(MODEL, CancelModel(request_id=request_id))
        assert rig.reply(rig.ask("Say hello.")).text  # both places are free again

        refused = []
        address, key = open_model(rig)
        for given in ("", "wrong", key):
            request = urllib.request.Request(f"{address}/models", headers={"Authorization": f"Bearer {given}"})
            try:
                urllib.request.urlopen(request).close()
            except urllib.error.HTTPError as error:
                refused.append((given, error.code))
                error.close()
        assert refused == [("", 401), ("wrong", 401)]
        assert address.startswith("http://127.0.0.1:")

        killed = rig.engines[-1].pid
        cut = rig.ask(STORY)
        assert rig.delta(cut)
        os.kill(killed, signal.SIGKILL)
        assert rig.reply(cut).text  # by the server's next life
        assert len(rig.engines) == 2
        last = rig.engines[-1].pid
        assert last not in (0, killed)
    finally:
        rig.system.stop()
    eventually(lambda: not Path(f"/proc/{last}").exists())


def open_model(rig: Rig) -> tuple[str, str]:
    """Address and key of the running server."""
    opening = OpenLocalModel(request_id=RequestId("open"), reply_to=rig.edge.address)
    rig.system.tell(local_model_address(f"local/{NAME}"), opening)
    ready = rig.receive(lambda message: isinstance(message, LocalModelReady))
    assert isinstance(ready, LocalModelReady)
    return ready.address, ready.key
