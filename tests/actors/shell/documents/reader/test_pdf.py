"""PDF as text: what goes wrong with attached PDFs elsewhere, by the reports of their users."""

from __future__ import annotations

import pytest

from tests.actors.shell.documents.making import (
    encrypt_pdf,
    pdf,
    pdf_of,
    reason_of,
    report_on,
    stream,
    text_of,
    text_operators,
)


@pytest.mark.req("X-265")
def test_each_page_has_its_number_and_the_file_its_extent() -> None:
    said = report_on(pdf("first page\nsecond line", "last page"))

    assert (said["kind"], said["about"], said["remarks"]) == ("PDF", "2 pages", [])
    assert said["text"] == "[page 1 of 2]\nfirst page\nsecond line\n\n[page 2 of 2]\nlast page\n\n"


def test_a_scan_says_so_instead_of_being_empty() -> None:
    """After open-webui/open-webui#6510 and CherryHQ/cherry-studio#19095."""
    assert reason_of(pdf(b"", b"")) == (
        "none of its 2 pages has text: the pages are pictures, such as scans; pictures are not read"
    )


def test_pages_without_text_are_named_ahead_of_the_text() -> None:
    """After NousResearch/hermes-agent#81680: 198 of 311 pages vanished without a word."""
    said = report_on(pdf("one", b"", b"", b"", "five", b""))

    assert said["remarks"] == ["no text on pages 2 to 4, 6 (pictures or blank)"]
    assert "[page 5 of 6]\nfive" in said["text"]


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_file_that_opens_without_a_password_is_read_though_it_is_encrypted(algorithm: str) -> None:
    """After py-pdf/pypdf's reports of files with an owner's password only."""
    assert "all may read" in text_of(encrypt_pdf(pdf("all may read"), "", algorithm))


def test_a_file_with_a_password_says_that_it_needs_one() -> None:
    assert reason_of(encrypt_pdf(pdf("few may read"), "open sesame")) == "it is encrypted, and needs a password"


def test_ligatures_are_letters_and_soft_hyphens_are_gone() -> None:
    assert "office affluent cooperate" in text_of(pdf("o\ufb03ce a\ufb04uent coop\u00aderate"))


@pytest.mark.parametrize("words", ["日本語の文書です", "한국어 문서", "Ελληνικά", "Привет"])
def test_other_scripts_come_as_they_are(words: str) -> None:
    assert words in text_of(pdf(words))


@pytest.mark.parametrize("words", ["שלום", "مرحبا"])
def test_of_scripts_from_right_to_left_no_letter_is_lost(words: str) -> None:
    assert sorted(words) == sorted(text_of(pdf(words)).split("\n")[1])


def test_rotated_text_and_rotated_pages_are_read() -> None:
    turned = text_operators("upright") + text_operators("sideways", matrix="0 1 -1 0 300 300")

    text = text_of(pdf(turned, page_entries=b"/Rotate 90"))

    assert "upright" in text
    assert "sideways" in text


def test_columns_are_read_one_after_the_other_as_they_were_drawn() -> None:
    columns = text_operators("left one\nleft two", x=72) + text_operators("right one\nright two", x=320)

    text = text_of(pdf(columns))

    assert text.index("left two") < text.index("right one") < text.index("right two")


def test_fonts_that_do_not_say_their_letters_are_told_instead_of_signs_without_meaning() -> None:
    """After CherryHQ/cherry-studio#19095: a damaged layer of text passed for the words."""
    said = report_on(pdf("".join(map(chr, range(0xE000, 0xE040))), "plain"))

    assert said["remarks"] == ["the fonts of page 1 do not say which letters they draw"]
    assert said["text"] == "[page 2 of 2]\nplain\n\n"


def test_fields_of_a_form_are_read_which_stand_on_no_page() -> None:
    form = {
        1: b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R 8 0 R] >> >>",
        7: b"<< /FT /Tx /T (surname) /V (Lovelace) >>",
        8: b"<< /FT /Tx /T (empty) /V () >>",
    }
    text = text_of(pdf("Please fill in", more=form))

    assert text.endswith("[form fields]\nsurname: Lovelace\n")


@pytest.mark.parametrize("entry", [b"/Kids 5", b"/V (x) /Parent 7 0 R", b"/V (x) /Parent 5"])
def test_broken_fields_of_a_form_are_told_and_cost_no_page(entry: bytes) -> None:
    form = {
        1: b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>",
        7: b"<< /FT /Tx /T (a) " + entry + b" >>",
    }
    said = report_on(pdf("Please fill in", more=form))

    assert "Please fill in" in said["text"]
    assert said["remarks"] == ["the fields of the form cannot be read"]


def test_a_broken_page_costs_no_other_page() -> None:
    broken = {11: stream(b"BT (", b"/Filter /FlateDecode")}
    data = pdf("one", "two", "three")
    whole = report_on(data)
    assert "one" in whole["text"]
    objects = {**broken}
    said = report_on(_replace(data, 11, objects[11]))

    assert "two" in said["text"]
    assert "three" in said["text"]


def test_pages_that_go_round_in_a_circle_end() -> None:
    """After py-pdf/pypdf#966 and #3654: files that were read for ever."""
    circle = pdf_of(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
        }
    )
    form = pdf(
        b"/X Do " + text_operators("around"),
        more={7: stream(b"/X Do", b"/Type /XObject /Subtype /Form /Resources << /XObject << /X 7 0 R >> >>")},
        page_entries=b"/Resources << /Font << /F1 3 0 R >> /XObject << /X 7 0 R >> >>",
    )

    assert reason_of(circle)
    assert "around" in text_of(form)


def test_tables_of_places_that_go_round_in_a_circle_end() -> None:
    """After py-pdf/pypdf#3654: two tables of places name each other as the earlier one."""
    data = pdf("found all the same")
    place = int(data.rsplit(b"startxref\n", 1)[1].split()[0])

    assert report_on(data.replace(b"/Root 1 0 R >>", b"/Root 1 0 R /Prev %d >>" % place))


@pytest.mark.parametrize("data", [b"%PDF-1.7", b"%PDF-1.4\n%%EOF", pdf("cut")[:300]])
def test_a_broken_file_says_so(data: bytes) -> None:
    assert "broken" in reason_of(data) or "no pages" in reason_of(data)


def test_words_before_the_header_hide_no_pdf() -> None:
    assert "text" in text_of(b"\r\nHTTP/1.1 200 OK\r\n\r\n" + pdf("text"))


def test_a_file_without_pages_says_so() -> None:
    assert reason_of(pdf()) == "it has no pages"


def _replace(data: bytes, number: int, content: bytes) -> bytes:
    """`data` with another object under a number; readers look for the objects then."""
    head, _, rest = data.partition(b"%d 0 obj\n" % number)
    return head + b"%d 0 obj\n" % number + content + b"\nendobj" + rest.partition(b"\nendobj")[2]
