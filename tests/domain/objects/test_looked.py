from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.looked import KEPT_BYTES, FileLook, Signature, Status, look_at_bytes, unread_look

SIGNATURE = Signature(1, 2, 3, 4, 5)


def look_at(data: bytes, size: int = 0) -> FileLook:
    return look_at_bytes("a.txt", Signature(1, 2, size, 4, 5), data)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_text_is_kept_with_every_byte(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"", b"a\r\nb\n", "\ufeffé\u2028日".encode(), b"\x01\x1b[0m", b"x" * KEPT_BYTES]
    for data in cases:
        with subtests.test(data=data):
            look = look_at(data)

            assert (look.status, look.size, look.content_hash) == ("text", len(data), sha(data))
            assert look.text is not None
            assert look.text.encode() == data


def test_what_has_a_nul_or_is_not_utf_8_is_binary(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"a\0b", b"\xff", b"caf\xe9", "é".encode()[:1], b"\xed\xa0\x80", b"\xc0\x80"]
    for data in cases:
        with subtests.test(data=data):
            look = look_at(data)

            assert (look.status, look.size, look.content_hash, look.text) == ("binary", len(data), sha(data), None)


def test_of_a_large_text_the_beginning_is_kept() -> None:
    look = look_at(b"x" * (KEPT_BYTES + 1), size=KEPT_BYTES + 70)

    beginning = b"x" * KEPT_BYTES
    assert (look.status, look.size, look.text) == ("large", KEPT_BYTES + 70, beginning.decode())
    assert look.content_hash == sha(beginning + b"\0" + str(KEPT_BYTES + 70).encode())


@pytest.mark.parametrize("cut", [1, 2])
def test_a_large_text_is_cut_between_two_characters(cut: int) -> None:
    beginning = b"x" * (KEPT_BYTES - cut)
    look = look_at(beginning + "日本".encode(), size=KEPT_BYTES + 100)

    assert (look.status, look.text) == ("large", beginning.decode())
    assert look.content_hash == sha(beginning + b"\0" + str(KEPT_BYTES + 100).encode())


@pytest.mark.parametrize(
    "data", [b"\0" * (KEPT_BYTES + 1), b"\xff" + b"x" * KEPT_BYTES, b"x" * 9 + b"\xff" * KEPT_BYTES]
)
def test_a_large_file_that_is_no_text_is_binary(data: bytes) -> None:
    look = look_at(data, size=10**12)

    assert (look.status, look.size, look.text) == ("binary", 10**12, None)
    assert look.content_hash == sha(data[:KEPT_BYTES] + b"\0" + b"1000000000000")


def test_two_large_texts_that_begin_alike_differ_by_their_size() -> None:
    data = b"x" * (KEPT_BYTES + 1)

    assert look_at(data, size=10**6).content_hash != look_at(data, size=10**6 + 1).content_hash


def test_a_file_that_grew_while_it_was_read_is_as_large_as_what_was_read() -> None:
    assert look_at(b"abc", size=1).size == 3
    assert look_at(b"x" * (KEPT_BYTES + 1), size=1).size == KEPT_BYTES + 1


def test_of_an_unread_file_only_that_it_is_there_is_known() -> None:
    look = unread_look("a", SIGNATURE)

    assert (look.path, look.signature, look.status) == ("a", SIGNATURE, "unread")
    assert (look.size, look.content_hash, look.text) == (3, "", None)


def test_looks_and_signatures_are_values() -> None:
    assert Signature(1, 2, 3, 4, 5) == SIGNATURE
    assert len({Signature(1, 2, 3, 4, 5), SIGNATURE}) == 1
    with pytest.raises(AttributeError):
        SIGNATURE.size = 4  # type: ignore[misc]
    assert msgspec.json.decode(msgspec.json.encode(look_at(b"a")), type=FileLook) == look_at(b"a")
    assert sorted(Status) == ["binary", "large", "missing", "text", "unread"]


@given(st.binary(max_size=50))
def test_any_bytes_are_a_text_or_binary(data: bytes) -> None:
    look = look_at(data)

    assert look == look_at(data)
    assert (look.status == "text") == (look.text is not None) == (b"\0" not in data and is_utf_8(data))


def is_utf_8(data: bytes) -> bool:
    try:
        return data.decode() is not None
    except UnicodeDecodeError:
        return False
