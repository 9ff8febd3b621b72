from __future__ import annotations

import doctest
import re
from pathlib import Path

import msgspec
import pytest

from actors.forget.journal import Entry
from domain.log.format import encode_event, encode_header, encode_seal
from domain.log.parser import parse
from domain.log.view import findings
from domain.log.watermark import line_of, watermarks_in
from domain.policy.approval import Question
from domain.policy.foreign_skill.record import parse_record
from domain.reminder.owed import OwedConfirmation

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def examples() -> dict[str, bytes]:
    """The page's named examples: fences of tildes under a comment that names them."""
    found = re.findall(r"<!-- example: (\w+) -->\n(~{3,})\w+\n(.*?)\n\2\n", PAGE.read_text("utf-8"), re.DOTALL)
    return {name: text.encode("utf-8") + b"\n" for name, _, text in found}


def test_every_session_on_the_page_gives_what_it_says() -> None:
    text = PAGE.read_text("utf-8")
    sessions = "\n".join(re.findall(r"```pycon\n(.*?\n)```\n", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(sessions, {"example": examples()}, PAGE.name, str(PAGE), 0)
    report: list[str] = []

    result = doctest.DocTestRunner(verbose=False).run(test, out=report.append)

    assert result.failed == 0, "".join(report)
    assert result.attempted == sessions.count(">>> ") > 5


def test_the_example_log_is_what_the_writer_writes() -> None:
    data = examples()["log"]
    log = parse(data)
    assert log.header is not None
    (seal,) = log.seals

    written, head = encode_header(log.header)
    for logged in log.events:
        if logged.offset > seal.offset:
            torn = data[seal.offset : seal.offset + seal.length]
            note, head = encode_seal(torn, head)
            written += torn + note
        assert len(written) == logged.offset
        record, head = encode_event(logged.event, head)
        written += record

    assert written == data
    assert findings(log) == ()


def test_the_example_of_hashes_is_what_the_writer_writes() -> None:
    text = examples()["installed"].decode()
    assert parse_record(text).render() == text


def test_the_example_of_a_watermark_is_one() -> None:
    line = examples()["watermark"]
    ((channel_id, watermark),) = watermarks_in(line).items()
    assert line_of(channel_id, watermark) == line
    assert (watermark.first < watermark.upto, len(watermark.gaps)) == (True, 1)


def test_the_page_names_every_kind_of_event(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["user", "agent", "tool-call", "tool-result", "delivery", "pin", "system"]
    for kind in cases:
        with subtests.test(kind=kind):
            assert f"`{kind}`" in PAGE.read_text("utf-8")


def test_the_example_of_a_question_is_one() -> None:
    note = examples()["question"].rstrip(b"\n")
    question = msgspec.json.decode(note, type=Question)
    assert msgspec.json.encode(question) == note


def test_the_example_of_a_forget_request_is_one() -> None:
    note = examples()["forget"].rstrip(b"\n")
    assert msgspec.json.encode(msgspec.json.decode(note, type=Entry)) == note


def test_the_example_of_an_owed_confirmation_is_one() -> None:
    note = examples()["owed"].rstrip(b"\n")
    owed = msgspec.json.decode(note, type=OwedConfirmation)
    assert msgspec.json.encode(owed) == note
    assert owed.line in owed.text
    assert owed.has_happened(b"# Mine\n" + owed.line.encode() + b"\n")
