from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.edit.encoding import as_utf8, encoding_flaw, is_wide
from domain.edit.lines import BOM

WORDS = '- [ ] date=2026-01-31 time=09:05 recur=none msg="café" id=rid_A\n'


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_text_in_utf_8_has_no_flaw_with_a_mark_or_without(text: str) -> None:
    assert encoding_flaw(text.encode()) == encoding_flaw(BOM + text.encode()) == ""


def test_wide_encodings_are_told_with_a_mark_and_without(subtests: pytest.Subtests) -> None:
    for name in ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]:
        with subtests.test(name=name):
            data = WORDS.encode(name)

            assert is_wide(data)
            assert encoding_flaw(data).startswith("is in UTF-16 or UTF-32, and only UTF-8 is read; save it in UTF-8")


def test_other_bytes_are_told_with_their_line(subtests: pytest.Subtests) -> None:
    for data, flaw in [
        (WORDS.encode("latin-1"), "is not in UTF-8: byte 0xe9 in line 1 begins no character"),
        (b"a\rb\r\x80\r", "is not in UTF-8: byte 0x80 in line 3 begins no character"),
        (b"a\nb\n\x80\n", "is not in UTF-8: byte 0x80 in line 3 begins no character"),
        ("a\n€".encode()[:-1], "ends in the middle of a character"),
        ((WORDS * 40).encode() + "ö\r\n".encode("utf-16-le"), "has a NUL byte in line 41"),
        ((WORDS * 40).encode() + b"a\0\r\0\n\0", "has a NUL byte in line 41"),
        (b"\xed\xa0\x80", "is not in UTF-8"),
        (b"\0" * 100, "has a NUL byte in line 1"),
    ]:
        with subtests.test(data=data):
            assert encoding_flaw(data).startswith(flaw)
            assert not is_wide(data)


def test_an_empty_file_has_no_flaw() -> None:
    assert encoding_flaw(b"") == ""


WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("name", [*WIDE, "latin-1", "utf-8"])
def test_a_version_in_another_encoding_has_the_same_words_in_utf_8(name: str) -> None:
    assert as_utf8(WORDS.encode(name)).decode() == WORDS


@given(st.binary())
def test_of_any_bytes_a_version_in_utf_8_can_be_made(data: bytes) -> None:
    encoded = as_utf8(data)

    assert encoded == data or encoding_flaw(data)
    encoded.decode("utf-8")
    assert b"\0" not in encoded


def test_lines_in_utf_8_beside_others_stay_and_every_byte_is_kept() -> None:
    assert as_utf8("é\n".encode() + b"\xe9\0\n\x81").decode() == "é\né\n\x81"
