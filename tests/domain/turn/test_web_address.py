"""Addresses that people wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.web_address import LONGEST, MOST_IN_TEXT, MOST_SOURCES, SeenAddresses, addresses_in, normal_address

PAGE = "https://example.com/a/page?id=1"


def seen_in(*texts: str) -> SeenAddresses:
    addresses = SeenAddresses()
    for text in texts:
        addresses.add_from(text)
    return addresses


def test_an_address_that_a_person_wrote_is_seen_however_it_stands_in_the_text(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        f"look at {PAGE}",
        f"look at {PAGE}.",
        f"<{PAGE}>",
        f"(see {PAGE})",
        f"[the page]({PAGE}), please",
        f"[{PAGE}]({PAGE})",
        f"**{PAGE}**",
        f"`{PAGE}`",
        f"\n{PAGE}\n",
        f"{PAGE}#part",
        "HTTPS://Example.COM:443/a/page?id=1",
        "look at example.com/a/page?id=1!",
        f"{PAGE}\u3002",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert PAGE in seen_in(text)
            assert f"{PAGE}#elsewhere" in seen_in(text)


def test_an_address_that_differs_in_anything_that_is_sent_is_not(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "https://example.com/a/page",
        "https://example.com/a/page?id=1&d=secret",
        "https://example.com/a/page?id=1secret",
        "https://example.com/a/page?id=2",
        "https://example.com/a/page/../secret?id=1",
        "https://example.com/a/PAGE?id=1",
        "https://example.com/a/page;secret?id=1",
        "https://example.com/a/p%61ge?id=1",
        "https://example.com/",
        "https://example.com./a/page?id=1&x",
        "https://secret.example.com/a/page?id=1",
        "https://example.com.evil.example/a/page?id=1",
        "https://example.com:8443/a/page?id=1",
        "http://example.com/a/page?id=1",
        "https://secret@example.com/a/page?id=1",
        "https://example.com\\@evil.example/a/page?id=1",
        "https://example.com/a/page?id=1 secret",
        "ftp://example.com/a/page?id=1",
        "//example.com/a/page?id=1",
        "",
    ]
    for address in cases:
        with subtests.test(address=address):
            assert address not in seen_in(f"look at {PAGE}")


def test_spellings_of_the_same_request_have_one_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("https://example.com", "https://example.com/"),
        ("http://example.com:80?q", "http://example.com/?q"),
        ("https://b\u00fccher.example/\u00fc?q=\u00e4", "https://xn--bcher-kva.example/%C3%BC?q=%C3%A4"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("https://\uff45xample.com/", "https://example.com/"),
        ("https://example.com/%7Ea?b=%20c+d", "https://example.com/%7Ea?b=%20c+d"),
    ]
    for written, normal in cases:
        with subtests.test(written=written, normal=normal):
            assert normal_address(written) == normal
            assert normal_address(normal) == normal


def test_what_nobody_should_ask_for_has_no_form(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "https://user:password@example.com/",
        "https://example.com:port/",
        "https://exa mple.com/",
        "https://ex%61mple.com/",
        "https:///path",
        "javascript://example.com/",
        "https://example.com/\u202e",
        "https://example.com/" + "x" * LONGEST,
    ]
    for text in cases:
        with subtests.test(text=text):
            assert normal_address(text) == ""


@given(st.text())
def test_a_normal_form_is_its_own_and_plain(text: str) -> None:
    normal = normal_address(f"https://example.com/{text}")

    assert normal == "" or (normal_address(normal) == normal and normal.isascii() and normal.isprintable())


@given(st.text())
def test_whatever_people_write_every_address_in_it_is_a_normal_one(text: str) -> None:
    for written in (text, f"https://{text}", f"{text}.com/{text}"):
        seen = seen_in(written)
        for address in addresses_in(written):
            assert normal_address(address) == address
            assert address in seen


def test_names_of_mails_and_numbers_are_no_addresses() -> None:
    assert list(addresses_in("a@example.com 3.14 1.2.3 e.g. so...yes")) == []


def test_what_is_kept_is_bounded_and_the_newest_stay() -> None:
    addresses = SeenAddresses(most=3)
    addresses.add(f"https://example.com/{number}" for number in range(10))

    assert [f"https://example.com/{number}" in addresses for number in range(10)] == [False] * 7 + [True] * 3


def test_an_address_is_forgotten_with_the_last_message_that_has_it() -> None:
    addresses = SeenAddresses()
    addresses.add_from(f"see {PAGE}", "1")
    addresses.add_from(f"{PAGE} and https://example.com/other", "2")
    addresses.add_from(f"{PAGE} again", "2")

    addresses.forget(("2", "3"))
    assert PAGE in addresses
    assert "https://example.com/other" not in addresses
    addresses.forget(("1",))
    assert PAGE not in addresses


def test_of_messages_with_one_address_the_newest_are_kept() -> None:
    addresses = SeenAddresses()
    for number in range(10 * MOST_SOURCES):
        addresses.add_from(f"see {PAGE}", str(number))

    addresses.forget({str(number) for number in range(9 * MOST_SOURCES, 10 * MOST_SOURCES)})
    assert PAGE not in addresses


def test_of_one_text_only_so_many_are_taken() -> None:
    text = " ".join(f"https://example.com/{number}" for number in range(MOST_IN_TEXT + 10))

    assert len(set(addresses_in(text))) == MOST_IN_TEXT


def test_a_host_is_the_one_that_browsers_go_to_and_not_its_older_reading(subtests: pytest.Subtests) -> None:
    for written, host, another in [
        ("https://fa\u00df.example/", "xn--fa-hia.example", "fass.example"),
        ("https://FA\u1e9e.example/", "xn--fa-hia.example", "fass.example"),
        ("https://\u00df\u3002example/", "xn--zca.example", "ss.example"),
        ("https://\u03bb\u03cc\u03b3\u03bf\u03c2.example/", "xn--oxapnm1c.example", "xn--oxapnq6b.example"),
    ]:
        with subtests.test(written=written, host=host, another=another):
            addresses = SeenAddresses()
            addresses.add_from(f"see {written}")

            assert normal_address(written) == f"https://{host}/"
            assert f"https://{host}/" in addresses
            assert f"https://{another}/" not in addresses
