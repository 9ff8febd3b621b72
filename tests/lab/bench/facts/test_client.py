from __future__ import annotations

import pytest

from lab.bench.facts.client import Client, NoAnswerError
from lab.loopback_model.server import Answer, CutOff, LoopbackModel, Refusal


def test_answers_come_whole_or_in_pieces_and_the_first_text_before_the_end() -> None:
    with LoopbackModel() as model:
        client = Client(model.api_base)
        model.script(Answer("one two"), Answer("one two", pieces=3, piece_delay_s=0.02))
        whole, streamed = client.ask("talk", "say"), client.ask("", "say", stream=True)
        client.close()
        bodies = [request.body for request in model.requests()]
    assert whole.text == streamed.text == "one two"
    assert whole.first_text_s == whole.took_s
    assert streamed.took_s - streamed.first_text_s > 0.03
    assert [body.get("memory_id") for body in bodies] == ["talk", None]
    assert [body.get("stream") for body in bodies] == [None, True]


def test_a_refusal_and_a_broken_stream_are_no_answers_and_the_next_request_has_one() -> None:
    with LoopbackModel() as model:
        client = Client(model.api_base)
        model.script(Refusal(500), CutOff("one"), CutOff())
        for is_stream in (False, True, False):
            with pytest.raises(NoAnswerError):
                client.ask("talk", "say", stream=is_stream)
        assert client.ask("talk", "say").text == "echo: say"
        client.close()
    with pytest.raises(NoAnswerError):
        client.ask("talk", "say")
