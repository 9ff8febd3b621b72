"""Archives of Office that are not opened, each with its reason."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.actors.shell.documents.making import change_archive, reason_of, word, workbook

TYPES = "[Content_Types].xml"


def small() -> bytes:
    return word(lambda document: document.add_paragraph("x"))


def book() -> bytes:
    return workbook(lambda book: book.active.append(["x"]))


def replace_type(data: bytes, old: bytes, new: bytes) -> bytes:
    return change_archive(data, {}, lambda name, content: content.replace(old, new) if name == TYPES else content)


def test_a_small_archive_that_unpacks_to_much_is_not_unpacked() -> None:
    data = bytearray(small())
    place = data.find(b"PK\x01\x02")
    data[place + 24 : place + 28] = (300 << 20).to_bytes(4, "little")  # what the entry says it unpacks to

    assert reason_of(bytes(data)) == "it would unpack to 300 MiB, and at most 256 MiB are read"


def test_an_archive_of_very_many_parts_is_not_read() -> None:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for number in range(10_001):
            archive.writestr(f"word/{number}.xml", b"")

    assert reason_of(output.getvalue()) == "it has 10,001 parts, and at most 10,000 are read"


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml", "_rels/.rels"])
def test_entities_are_not_expanded_for_no_document_type_is_taken(part: str) -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'

    assert (
        reason_of(change_archive(small(), {part: bomb})) == "its XML declares a document type, which no Office file may"
    )


def test_a_document_type_in_another_encoding_is_seen_too() -> None:
    bomb = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'.encode("utf-16")

    assert "document type" in reason_of(change_archive(book(), {"xl/sharedStrings.xml": bomb}))


@pytest.mark.parametrize("data", [small(), book()], ids=["word", "sheets"])
def test_files_with_macros_are_not_read(data: bytes) -> None:
    reason = "it holds macros, and files with macros are not read"

    assert reason_of(change_archive(data, {"word/vbaProject.bin": b"\xd0\xcf"})) == reason
    assert reason_of(replace_type(data, b"openxmlformats-officedocument", b"ms-office.macroEnabled")) == reason


def test_a_password_is_told_from_an_old_format() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)

    assert reason_of(ole + "EncryptedPackage".encode("utf-16-le")) == "it is protected with a password"
    assert "old format" in reason_of(ole)


def test_an_archive_whose_entries_are_encrypted_needs_a_password() -> None:
    data = bytearray(small())
    place = data.find(b"PK\x01\x02")
    data[place + 8] |= 1

    assert reason_of(bytes(data)) == "it is protected with a password"


def test_templates_and_the_strict_variant_are_named() -> None:
    assert "template" in reason_of(replace_type(small(), b"document.main+xml", b"template.main+xml"))
    strict = b'<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"/>'
    assert "strict" in reason_of(change_archive(small(), {"word/document.xml": strict}))


@pytest.mark.parametrize("data", [b"PK\x03\x04", small()[:200], small()[:-30], b"PK\x05\x06" + bytes(18)])
def test_a_broken_archive_says_so(data: bytes) -> None:
    assert "archive is broken" in reason_of(data)


def test_broken_xml_names_its_part() -> None:
    assert "its part 'word/styles.xml' is broken" in reason_of(change_archive(small(), {"word/styles.xml": b"<<"}))


def test_other_archives_are_of_no_kind_that_is_read() -> None:
    slides = replace_type(small(), b"wordprocessingml.document", b"presentationml.presentation")

    assert reason_of(slides) == "it is neither a Word document nor an Excel workbook"
