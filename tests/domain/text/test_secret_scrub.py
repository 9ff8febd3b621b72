from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.secret_scrub import REMOVED, SHORTEST_SECRET, Scrubber

SECRET = "MTIz/NDU+2Nzg5.Gabcde.k-Zx_9"


@pytest.mark.req("X-139")
def test_a_secret_is_removed_in_every_disguise(subtests: pytest.Subtests) -> None:
    for disguise in (
        SECRET,
        SECRET[::-1],
        quote(SECRET, safe=""),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        SECRET.encode().hex(" "),
        "".join(f"%{byte:02X}" for byte in SECRET.encode()),
    ):
        with subtests.test(disguise=disguise):
            text = Scrubber([SECRET]).scrub(f"before {disguise} after")
            assert text == f"before {REMOVED} after"


@given(st.binary(max_size=20), st.binary(max_size=20), st.booleans())
def test_no_base64_of_anything_around_it_carries_a_secret_out(before: bytes, after: bytes, url_safe: bool) -> None:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    text = encode(before + SECRET.encode() + after).decode()
    scrubbed = Scrubber([SECRET]).scrub(text)
    assert REMOVED in scrubbed
    left = scrubbed.replace(REMOVED, "")
    assert len(left) <= (len(before) + len(after)) * 4 / 3 + 8


def test_both_alphabets_of_base64_are_known(subtests: pytest.Subtests) -> None:
    secret = "~~~>>>???~~~>>>???"
    for before in ("", "a", "ab"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            with subtests.test(before=before, encode=encode):
                text = encode(f"{before}{secret}".encode()).decode()

                assert {"+", "/"} <= set(text) or {"-", "_"} & set(text)
                assert REMOVED in Scrubber([secret]).scrub(text)


@given(st.text())
def test_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert Scrubber([SECRET]).scrub(text) == text or SECRET in text


def test_what_is_too_short_to_be_a_secret_is_not_looked_for() -> None:
    assert Scrubber(["a" * (SHORTEST_SECRET - 1)]).scrub("a" * 20) == "a" * 20


def test_without_secrets_nothing_is_removed() -> None:
    assert Scrubber([]).scrub("text") == "text"


def test_of_two_secrets_the_longer_goes_whole() -> None:
    assert Scrubber(["password", "password-of-two"]).scrub("password-of-two") == REMOVED


def test_a_secret_is_found_though_something_is_strewn_among_it(subtests: pytest.Subtests) -> None:
    for text in [
        SECRET,
        SECRET[::-1],
        f"{SECRET[:8]}\u200b{SECRET[8:]}",
        f"{SECRET[:8]}\u00ad{SECRET[8:]}",
        f"{SECRET[:8]}\ufe0f\U000e0041{SECRET[8:]}",
        f"{SECRET[:8]}**{SECRET[8:]}**",
        f"{SECRET[:8]} \n {SECRET[8:]}",
        "".join(chr(ord(character) + 0xFEE0) for character in SECRET),
        base64.b64encode(SECRET.encode()).decode(),
    ]:
        with subtests.test(text=text):
            assert Scrubber([SECRET]).finds(f"it is {text}, ok")


def test_nothing_else_is_found() -> None:
    assert not Scrubber([SECRET]).finds(SECRET[:-1])
    assert not Scrubber([]).finds("")
    assert not Scrubber(["short"]).finds("short")
    assert not Scrubber(["********"]).finds("any words")
