"""The words of messages in public reports, by the rule alone."""

from __future__ import annotations

from typing import Any

import pytest

from domain.text.mention import Mentioned
from domain.turn.discord.said import Manner, files_of, manner_of, quotation, words_of
from tests.real.people.reports import REPORTS, SILENT, Report

PERSON = {"author": {"id": "1", "username": "ann"}}


def name_of(_kind: Mentioned, _number: str) -> str:
    return ""


def message(report: Report) -> dict[str, Any]:
    return {"type": 0, "content": report.content, **PERSON, **report.parts}


@pytest.mark.req("X-219")
def test_every_word_of_a_message_is_told_and_quoted() -> None:
    failures: list[str] = []
    for report in REPORTS:
        sent = message(report)
        told, quoted = words_of(sent, name_of).all, quotation(sent, name_of)
        failures += [f"{report.case}: {words!r} not in {told!r}" for words in report.words if words not in told]
        failures += [f"{report.case}: {words!r} is not quoted" for words in report.words if words not in quoted]
        if manner_of(sent) is not Manner.SAID:
            failures.append(f"{report.case}: {manner_of(sent)}")
    assert not failures
    assert len({source for report in REPORTS for source in report.source.split(", ")}) >= 25


@pytest.mark.req("X-219")
def test_files_of_a_forward_are_files_of_the_message() -> None:
    voice = next(report for report in REPORTS if "vercel/chat" in report.source)

    assert [file["filename"] for file in files_of(message(voice))] == ["voice-message.ogg"]


@pytest.mark.req("X-219")
def test_notices_are_in_no_turn_and_messages_of_unknown_kinds_are_named() -> None:
    assert [report.case for report in SILENT if manner_of(message(report)) is not Manner.NOT_HEARD] == []
    unknown = {**PERSON, "type": 777, "content": ""}
    part = {**PERSON, "type": 0, "content": "", "hologram": {"id": "1"}}
    assert manner_of(unknown) is manner_of(part) is Manner.NOTED
    assert words_of(unknown, name_of).all == "[message of an unknown kind: 777]"
    assert words_of(part, name_of).all == "[part of an unknown kind: hologram]"
    assert manner_of({**unknown, "content": "hello?"}) is Manner.SAID
    assert manner_of({**PERSON, "type": 0, "content": ""}) is Manner.NOT_HEARD
    assert manner_of({**unknown, "author": {"id": "1", "bot": True}}) is Manner.NOT_HEARD
