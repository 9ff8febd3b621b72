from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from actors.http_client.public_addresses import MAX_RECEIVED_BYTES
from actors.web.page import MAX_PAGE_BYTES, decode, is_text_encoding
from messages.base import RequestId
from messages.status import DescribeYourself, SelfDescription
from tests.actors.web.bench import WEB, Bench
from tests.actors.web.site import ARTICLE, Site, bomb, raw, redirect, said

HTML = "text/html"


def test_a_page_is_read_as_title_and_markdown_without_menus_scripts_and_styles(bench: Bench) -> None:
    page = bench.page("/article")

    assert page.title == "On Owls"
    assert page.markdown == f"# Owls\n\nThey **see** at night, [more]({bench.site.base}/more)."


def test_plain_text_is_given_as_it_is(bench: Bench) -> None:
    bench.site.pages["/plain"] = said("  <b>not html</b> & so on\n", kind="text/plain")

    page = bench.page("/plain")

    assert (page.title, page.markdown) == ("", "<b>not html</b> & so on")


def test_a_redirect_is_followed_and_links_are_relative_to_where_it_leads(bench: Bench) -> None:
    bench.site.pages |= {"/old": redirect("/deep/new"), "/deep/new": said('<p>see <a href="x">x</a>')}

    assert f"[x]({bench.site.base}/deep/x)" in bench.page("/old").markdown


def test_a_circle_of_redirects_ends(bench: Bench) -> None:
    bench.site.pages["/round"] = redirect("/round")

    assert bench.page_refusal("/round") == "more than 5 redirects"
    assert len(bench.site.asked) == 6


def test_a_redirect_to_nowhere_is_a_refusal(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "http://", "http://[bad/"]
    for to in cases:
        with subtests.test(to=to):
            bench.site.pages["/lost"] = redirect(to)

            assert bench.page_refusal("/lost")


def test_no_spelling_of_loopback_reaches_a_service_of_this_machine(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://LOCALHOST.:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.0.0.1:{port}/",
        "http://0177.0.0.1:{port}/",
        "http://0:{port}/",
        "http://0.0.0.0:{port}/",
        "http://127.255.255.254:{port}/",
        "http://[::1]:{port}/",
        "http://[::]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[64:ff9b::7f00:1]:{port}/",
        "http://[2002:7f00:1::]:{port}/",
        "http://１２７.0.0.1:{port}/",
    ]
    for url in cases:
        with subtests.test(url=url), Victim() as victim:
            reason = bench.page_refusal(url.format(port=victim.port))

            assert "not a public address" in reason or "cannot connect" in reason or "is not an address" in reason
            assert not victim.was_reached()


def test_the_victim_of_these_tests_notices_who_reaches_it() -> None:
    with Victim() as victim, socket.create_connection(("127.0.0.1", victim.port)):
        assert victim.was_reached()


def test_a_redirect_to_another_service_of_this_machine_is_not_followed(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[int] = [301, 302, 303, 307, 308]
    for status in cases:
        with subtests.test(status=status), Victim() as victim:
            bench.site.pages["/trap"] = redirect(f"http://127.0.0.1:{victim.port}/", status)

            assert bench.page_refusal("/trap") == "127.0.0.1 is not a public address: only those are read"
            assert not victim.was_reached()


def test_private_and_special_networks_are_not_read(bench: Bench, subtests: pytest.Subtests) -> None:
    cases_1: list[bool] = [False, True]
    cases_2: list[str] = [
        "http://10.0.0.1/",
        "http://172.16.5.4/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://[ff02::1]/",
        "http://[::ffff:169.254.169.254]/",
    ]
    for by_redirect in cases_1:
        for url in cases_2:
            with subtests.test(by_redirect=by_redirect, url=url):
                bench.site.pages["/trap"] = redirect(url)

                assert "is not a public address" in bench.page_refusal("/trap" if by_redirect else url)


def test_other_kinds_of_addresses_are_refused_by_redirect_too(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("file:///etc/passwd", "only http:// and https://"),
        ("ftp://example.com/", "only http:// and https://"),
        ("gopher://127.0.0.1:6379/_INFO", "only http:// and https://"),
        ("javascript:alert(1)", "only http:// and https://"),
        ("/etc/passwd", "only http:// and https://"),
        ("http://", "http:// and https:// addresses with a host"),
        ("http://user:secret@example.com/", "user name or password"),
        ("http://example.com:22/", "port 22 "),
        ("http://example.com:25/", "port 25 "),
        ("http://example.com:99999/", "is not an address"),
        ("https://example.com/" + "x" * 4_000, "at most 4000"),
    ]
    for url, rule in cases:
        with subtests.test(url=url, rule=rule):
            bench.site.pages["/trap"] = redirect(url)
            direct = bench.ask_page(url if not url.startswith("/") else f"x:{url}")

            assert rule in getattr(bench.answer(direct), "reason", "")
            if "://" in url and len(url) < 1_000:
                assert "reason" in bench.answer(bench.ask_page("/trap")).__struct_fields__


def test_another_status_than_200_is_a_refusal_that_names_it(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[int] = [204, 401, 404, 500, 503]
    for status in cases:
        with subtests.test(status=status):
            bench.site.pages["/bad"] = said("", status=status)

            assert bench.page_refusal("/bad").startswith(f"HTTP {status}")


def test_only_html_and_plain_text_are_read(bench: Bench, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["application/pdf", "image/png", "application/json", "application/octet-stream"]
    for kind in cases:
        with subtests.test(kind=kind):
            bench.site.pages["/other"] = raw(b"<p>hello", **{"Content-Type": kind})

            assert f"content type '{kind}'" in bench.page_refusal("/other")


def test_a_page_that_does_not_say_what_it_is_is_not_read(bench: Bench) -> None:
    bench.site.pages["/what"] = raw(b"<p>hello", **{"Content-Type": ""})

    assert "only text/html and text/plain are read" in bench.page_refusal("/what")


def test_a_page_without_an_end_is_given_up_at_the_limit(bench: Bench) -> None:
    bench.site.pages["/endless"] = bench.site.endless

    assert str(MAX_PAGE_BYTES) in bench.page_refusal("/endless")
    assert bench.site.bytes_sent < 16 * MAX_PAGE_BYTES


def test_an_answer_that_is_all_packing_is_given_up_by_what_was_received_and_that_is_counted(bench: Bench) -> None:
    bench.site.pages["/packing"] = bench.site.packing

    assert bench.page_refusal("/packing")
    assert bench.site.bytes_sent < 8 * MAX_RECEIVED_BYTES
    bench.system.tell(WEB, DescribeYourself(request_id=RequestId("how"), reply_to=bench.edge.address))
    description = bench.answer(RequestId("how"))
    assert isinstance(description, SelfDescription)
    received = dict(description.figures)["received_bytes"]
    assert isinstance(received, int)
    assert MAX_RECEIVED_BYTES < received < MAX_RECEIVED_BYTES + (1 << 20)


@pytest.mark.slow
def test_a_bomb_of_packed_blanks_is_given_up_at_the_limit(bench: Bench) -> None:
    bench.site.pages["/bomb"] = bomb(200)

    assert str(MAX_PAGE_BYTES) in bench.page_refusal("/bomb")


def test_bytes_that_do_not_unpack_are_a_refusal(bench: Bench) -> None:
    bench.site.pages["/broken"] = raw(b"no gzip", **{"Content-Type": HTML, "Content-Encoding": "gzip"})

    assert bench.page_refusal("/broken").startswith("the connection failed")


def test_a_page_that_does_not_come_in_time_is_given_up(
    make_bench: Callable[..., Bench], subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["slow", "drip"]
    for kind in cases:
        with subtests.test(kind=kind):
            bench = make_bench(single_page_s=0.3)
            bench.site.pages["/late"] = getattr(bench.site, kind)

            assert bench.page_refusal("/late") == "no answer within 0.3 seconds"


def test_a_connection_that_breaks_is_a_refusal(bench: Bench, free_port: int) -> None:
    bench.site.pages["/cut"] = raw(b"short", **{"Content-Type": HTML, "Content-Length": "5000"})

    assert bench.page_refusal("/cut")


def test_a_page_with_nothing_to_read_says_so(bench: Bench) -> None:
    bench.site.pages |= {
        "/blank": said(" "),
        "/script": said("<script>x</script>"),
        "/none": said("", kind="text/plain"),
    }

    assert {bench.page_refusal(page) for page in ("/blank", "/script", "/none")} == {"Could not extract content"}


def test_no_cookie_of_one_page_reaches_the_next(bench: Bench, site: Site) -> None:
    site.pages["/cookie"] = raw(ARTICLE.encode(), **{"Content-Type": HTML, "Set-Cookie": "who=me"})

    bench.page("/cookie")
    bench.page("/article")

    assert "Cookie" not in site.asked[1].headers


def test_text_is_read_in_the_encoding_that_the_server_or_the_page_names(subtests: pytest.Subtests) -> None:
    cases: list[tuple[bytes, str | None, str]] = [
        ("Eulen können".encode(), None, "Eulen können"),
        ("Eulen können".encode("latin-1"), "iso-8859-1", "Eulen können"),
        ("フクロウ".encode("shift_jis"), "Shift_JIS", "フクロウ"),
        ('<meta charset="windows-1251">сова'.encode("cp1251"), None, '<meta charset="windows-1251">сова'),
        (b"owl \xff", "utf-8", "owl \ufffd"),
        (b"owl", "no-such-charset", "owl"),
        (b"owl", "zlib", "owl"),
        (b"owl-", "punycode", "owl-"),
    ]
    for body, charset, text in cases:
        with subtests.test(body=body, charset=charset, text=text):
            assert decode(body, charset) == text


def test_encodings_that_no_page_has_are_not_used(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7", "hex", "rot13", "\0"]
    for name in cases:
        with subtests.test(name=name):
            assert not is_text_encoding(name)


class Victim:
    """A service of this machine out of reach."""

    def __enter__(self) -> Victim:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def was_reached(self) -> bool:
        self._listener.setblocking(False)
        try:
            self._listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True
