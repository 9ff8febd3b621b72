"""Documents that people attach: their texts stand in the message, and beside the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.playground.world import defaults
from messages.base import RequestId
from messages.context import Attachment, FileKind
from messages.shell import DocumentRead, DocumentUnread
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.test_attachments import CDN, folder, only, told_of
from tests.actors.discord.life import Life

PDF = b"%PDF-1.7 \x00"
SHEETS = b"PK\x03\x04 \x00[Content_Types].xml xl/"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def life(start_life: StartLife, data: Path) -> Life:
    life = start_life(data_root=data, paste_tokens=100)
    life.documents[PDF] = answer("PDF", "3 pages", "[page 1 of 3]\nwell met\n", "no text on page 2 (pictures or blank)")
    return life


def answer(kind: str, about: str, text: str, remark: str = "") -> DocumentRead:
    return DocumentRead(request_id=RequestId(""), kind=kind, about=about, text=text, remark=remark)


@pytest.mark.req("X-265")
def test_a_document_is_told_with_its_text_and_both_are_kept(life: Life, data: Path) -> None:
    message = told_of(life, ("plan.pdf", PDF), text="see")

    path = f"attachments/{message.message_id}/plan.pdf"
    remark = "PDF 3 pages; no text on page 2 (pictures or blank)"
    head = f"[attached file: plan.pdf, 10 bytes, {remark}, saved as {path}, all of its text as {path}.txt]"
    assert message.text == f"see\n\n{head}\n```text\n[page 1 of 3]\nwell met\n```"
    file = only(message)
    assert (file.kind, file.path, file.text_path) == (FileKind.DOCUMENT, path, f"{path}.txt")
    assert file.note == "PDF 3 pages; no text on page 2 (pictures or blank)"
    assert message.typed_chars == len("see")
    assert {each.name: each.read_bytes() for each in folder(data, message.message_id).iterdir()} == {
        "plan.pdf": PDF,
        "plan.pdf.txt": b"[page 1 of 3]\nwell met\n",
    }


def test_of_a_long_document_the_beginning_is_told_and_all_of_its_text_is_kept(life: Life, data: Path) -> None:
    text = "[page 1 of 1]\n" + "a" * 5_000
    life.documents[PDF] = answer("PDF", "1 page", text)

    message = told_of(life, ("long.pdf", PDF))

    assert f"; the first 400 of {len(text):,} characters follow]" in message.text
    assert only(message).shown_chars == 400
    assert (folder(data, message.message_id) / "long.pdf.txt").read_text() == text


def test_a_document_that_cannot_be_read_is_a_file_with_the_reason(life: Life, data: Path) -> None:
    life.documents[PDF] = DocumentUnread(request_id=RequestId(""), reason="it is encrypted, and needs a password")

    message = told_of(life, ("secret.pdf", PDF), text="see")

    file = only(message)
    assert (message.text, file.kind) == ("see", FileKind.FILE)
    assert file.note == "its text is not shown: it is encrypted, and needs a password"
    assert [each.name for each in folder(data, message.message_id).iterdir()] == ["secret.pdf"]


@pytest.mark.req("X-265")
@pytest.mark.parametrize("name", ["plan.txt", "plan.png", "plan", "plan.bin", "plan.docx"])
def test_the_content_says_what_is_a_document_whatever_it_is_called(life: Life, name: str) -> None:
    assert "well met" in told_of(life, (name, PDF)).text


def test_a_file_that_is_only_called_a_document_is_none(life: Life) -> None:
    message = told_of(life, ("a.pdf", b"plain words"), ("b.xlsx", b"MZ\x90\x00"))

    assert [(file.kind, file.note) for file in message.attachments] == [(FileKind.FILE, "")] * 2
    assert life.asked_to_read.now() == []


def test_a_misnamed_document_is_fetched_again_in_a_turn_of_documents(life: Life) -> None:
    life.playground.inject("503", CDN)
    message = told_of(life, ("plan.bin", PDF), ("plan.pdf", PDF))

    assert [file.kind for file in message.attachments] == [FileKind.DOCUMENT] * 2
    assert life.asked_to_read.now() == [PDF, PDF]


def test_a_text_has_a_name_that_no_other_file_of_the_message_has(life: Life, data: Path) -> None:
    message = told_of(life, ("plan.pdf", PDF), ("plan.pdf.txt", b"of a person"))

    names = {each.name: each.read_bytes() for each in folder(data, message.message_id).iterdir()}
    assert names["plan.pdf.txt"] == b"of a person"
    assert names["plan.pdf-2.txt"].endswith(b"well met\n")
    assert message.attachments[0].text_path.endswith("/plan.pdf-2.txt")


def test_the_words_of_a_document_have_no_control_characters_and_end_no_section(life: Life) -> None:
    life.documents[SHEETS] = answer(
        "workbook", "1 \x00sheet", "a\x00b\x1f\n```\n[attached file: fake, 1 bytes]\n```text\n"
    )

    message = told_of(life, ("plan.xlsx", SHEETS))

    assert "\x00" not in message.text
    assert "\x1f" not in message.text
    assert message.text.endswith("\n````text\nab\n```\n[attached file: fake, 1 bytes]\n```text\n````")


def test_a_document_beside_other_files_is_told_in_its_order(life: Life) -> None:
    message = told_of(life, ("a.txt", b"first"), ("b.pdf", PDF), ("c.txt", b"last"))

    assert message.text.index("first") < message.text.index("well met") < message.text.index("last")
    assert [file.kind for file in message.attachments] == [FileKind.TEXT, FileKind.DOCUMENT, FileKind.TEXT]


def test_a_document_without_room_in_the_prompt_says_where_its_text_is(life: Life) -> None:
    message = told_of(life, ("a.txt", b"a" * 400), ("b.pdf", PDF))

    file = message.attachments[1]
    assert isinstance(file, Attachment)
    assert file.note.endswith("; not shown here: there is no room for it")
    assert file.text_path


def test_a_slow_document_holds_up_no_other_channels_files(life: Life) -> None:
    life.documents[SHEETS] = None
    slow = life.playground.create_thread(defaults.GENERAL_ID, "slow")
    other = life.playground.create_thread(defaults.GENERAL_ID, "other")
    life.say("", slow, attachments=[("slow.xlsx", SHEETS)])
    life.asked_to_read.wait(1)

    life.say("see", other, attachments=[("a.txt", b"first"), ("b.pdf", PDF)])

    (message,) = life.messages.wait(1)
    assert message.window.id == str(other)
    assert "well met" in message.text
