"""Words of recordings: reasons where there are none, and the time that one message may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from actors.discord.incoming.reading.listening import (
    CANNOT_LISTEN,
    HEARD_NOTHING,
    NO_WORDS,
    OFF,
    Listening,
    Unheard,
    answer_unheard,
)
from actors.kernel import Host
from messages.base import Address, Message, RequestId
from messages.socket import Refused
from messages.web import TRANSCRIBE, TRANSCRIPTION_RESTARTED, TranscribeAudio, Transcribed
from tests.actors.discord.life import GENERAL

VOICE = {"flags": 1 << 13}


class Asked:
    """Host whose question is answered at once, or never."""

    def __init__(self, answer: Callable[[TranscribeAudio], Message] | None = None) -> None:
        self.questions: list[TranscribeAudio] = []
        self._answer = answer

    def ask(self, to: Address, make: Callable[..., TranscribeAudio], _: object, then: Callable[..., None]) -> RequestId:
        assert to == TRANSCRIBE
        question = make(request_id=RequestId("r"), reply_to=Address("discord"))
        self.questions.append(question)
        if self._answer is not None:
            then(self._answer(question))
        return question.request_id

    def withdraw(self, request_id: RequestId) -> None:
        assert request_id == "r"


def hear(asked: Asked, limit_s: float = 60.0, left_s: float = 60.0) -> Transcribed | Unheard:
    listening = Listening(cast("Host", asked), limit_s)
    return asyncio.run(listening.hear(GENERAL, b"audio", "attachments/1/a.ogg", left_s))


def answer_with(text: str) -> Callable[[TranscribeAudio], Message]:
    return lambda question: Transcribed(request_id=question.request_id, text=text, model="m")


def test_words_come_with_the_model_that_wrote_them_down() -> None:
    asked = Asked(answer_with("hello"))

    assert hear(asked) == Transcribed(request_id=RequestId("r"), text="hello", model="m")
    (question,) = asked.questions
    assert (question.window, question.audio, question.path) == (GENERAL, b"audio", "attachments/1/a.ogg")


def test_a_restart_of_the_transcription_costs_a_recording_nothing() -> None:
    restarts = [True, True, False]

    def answer(question: TranscribeAudio) -> Message:
        if restarts.pop(0):
            return Refused(request_id=question.request_id, reason=TRANSCRIPTION_RESTARTED)
        return answer_with("hello")(question)

    assert getattr(hear(Asked(answer)), "text", None) == "hello"


@pytest.mark.parametrize(
    ("asked", "limits", "reason"),
    [
        (Asked(answer_with("hello")), {"limit_s": 0.0}, OFF),
        (Asked(answer_with("hello")), {"left_s": 0.0}, "other recordings of this message took the time"),
        (Asked(answer_with("")), {}, NO_WORDS),
        (Asked(lambda each: Refused(request_id=each.request_id, reason="no key")), {}, "no key"),
        (Asked(), {"left_s": 0.01}, "its words did not come within 0 s"),
    ],
)
def test_where_there_are_no_words_there_is_a_reason(asked: Asked, limits: dict[str, float], reason: str) -> None:
    assert hear(asked, **limits) == reason


@pytest.mark.parametrize(
    ("wire", "reasons", "answer"),
    [
        (VOICE, [OFF], CANNOT_LISTEN),
        (VOICE, [NO_WORDS], HEARD_NOTHING),
        (VOICE, ["no key"], "I could not listen to your voice message: no key. Please send it again, or write it."),
        (VOICE, [], ""),
        ({"flags": 0}, [OFF], ""),
    ],
)
def test_the_author_of_a_voice_message_without_words_is_answered(
    wire: dict[str, Any], reasons: list[str], answer: str
) -> None:
    assert answer_unheard(wire, reasons) == answer
