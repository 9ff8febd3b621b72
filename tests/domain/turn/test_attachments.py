"""Kinds of files, the parts of them that are shown, and their names."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.attachments import (
    _PIECE_BYTES,
    FEWER_IMAGES,
    LONGEST_NAME_BYTES,
    MOST_IMAGES,
    PastedText,
    ReadText,
    attachment_lines,
    attachments_meta,
    compose_words,
    first_shown,
    image_type,
    images_of,
    is_audio,
    is_document,
    kind_of,
    readable_text,
    safe_names,
    spoken_texts,
    usable_chars,
)
from messages.context import Attachment, FileKind
from messages.model import ImageFile

MUCH = 1 << 20
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def paste_of(text: str, name: str = "message.txt", path: str = "attachments/1/message.txt") -> PastedText:
    return PastedText(name, text, len(text.encode("utf-8", "surrogatepass")), path)


def attachment_of(**changes: object) -> Attachment:
    fields: dict[str, object] = {"filename": "a.png", "url": "https://x/a.png", "size_bytes": 12}
    return Attachment(**(fields | changes))  # type: ignore[arg-type]


def test_name_and_declared_type_say_what_a_file_is(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, FileKind]] = [
        ("message.txt", "text/plain; charset=utf-8", FileKind.TEXT),
        ("data.json", "application/json", FileKind.TEXT),
        ("drawing.svg", "image/svg+xml", FileKind.TEXT),
        ("main.ts", "video/mp2t", FileKind.TEXT),
        ("Makefile", "", FileKind.TEXT),
        ("run.log", "application/octet-stream", FileKind.TEXT),
        ("photo.PNG", "image/png", FileKind.IMAGE),
        ("photo.png", "", FileKind.IMAGE),
        ("scan.tiff", "image/tiff", FileKind.FILE),
        ("voice.ogg", "audio/ogg", FileKind.FILE),
        ("book.pdf", "application/pdf", FileKind.FILE),
        ("tool.exe", "application/octet-stream", FileKind.FILE),
        ("archive.tar.gz", "", FileKind.FILE),
    ]
    for filename, media_type, kind in cases:
        with subtests.test(filename=filename, media_type=media_type, kind=kind):
            assert kind_of(filename, media_type) is kind


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(lambda text: text + "\r\n\t\x1b[1mend"))
def test_text_in_utf8_is_read_word_for_word(text: str) -> None:
    assert readable_text(text.encode(), MUCH) == ReadText(text.removeprefix("\ufeff"), 0)


def test_text_in_utf16_that_says_so_is_read() -> None:
    assert readable_text("Grüße".encode("utf-16"), MUCH) == ReadText("Grüße", 0)


def test_what_is_not_text_is_not_read_as_text(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"caf\xe9", b"a\x00b", b"MZ\x90\x00", b"\x01", b"\xff\xfea", b"\x1f\x8b\x08", b"\x7f"]
    for data in cases:
        with subtests.test(data=data):
            assert readable_text(data, MUCH) is None


def pieces_apart(text: str, encoding: str, filler: str) -> bytes:
    """Text of several pieces, with `text` where one ends and the next begins, at each offset of its bytes."""
    return (filler * (_PIECE_BYTES // len(filler.encode(encoding)) - 3) + text * 50 + filler * 1000).encode(encoding)


def test_a_long_text_is_the_same_in_pieces_and_its_beginning_is_kept(subtests: pytest.Subtests) -> None:
    cases_of_most: list[int] = [0, 1, 199, _PIECE_BYTES // 2, 1 << 20]
    cases_of_encoding: list[str] = ["utf-8", "utf-8-sig", "utf-16"]
    for most in cases_of_most:
        for encoding in cases_of_encoding:
            with subtests.test(most=most, encoding=encoding):
                for filler in ("a", "ab\n", "ü", "😀"):
                    data = pieces_apart("x😀ü€", encoding, filler)
                    whole = data.decode(encoding)
                    assert readable_text(data, most) == ReadText(whole[:most], max(0, len(whole) - most))
                    assert readable_text(bytearray(data), most) == readable_text(data, most)


def test_what_is_wrong_far_behind_the_beginning_makes_it_no_text(subtests: pytest.Subtests) -> None:
    for wrong in [b"\xe9", b"\x00", b"\xf0\x9f\x98"]:
        with subtests.test(wrong=wrong):
            far = b"a" * (_PIECE_BYTES - 1)
            for data in (far + wrong, far * 2 + wrong + far, far + far + far + wrong):
                assert readable_text(data, 10) is None
            assert readable_text(b"\xff\xfe" + "a".encode("utf-16-le") * _PIECE_BYTES + b"\x00", 10) is None


@given(
    st.lists(st.integers(0, 700), max_size=6),
    st.integers(0, 250),
)
def test_the_beginnings_that_are_kept_make_the_same_words_as_the_whole_files(lengths: list[int], budget: int) -> None:
    texts = [chr(ord("a") + number) * length for number, length in enumerate(lengths)]
    beginnings: list[str] = []
    for text in texts:
        beginnings.append(text[: usable_chars(budget, beginnings)])
    assert sum(map(len, beginnings)) <= budget * 4 + 200 * len(texts)
    cut = [
        PastedText("m.txt", beginning, len(text), "p", "", len(text) - len(beginning))
        for text, beginning in zip(texts, beginnings, strict=True)
    ]
    whole = [PastedText("m.txt", text, len(text), "p") for text in texts]
    assert compose_words("typed", cut, budget) == compose_words("typed", whole, budget)


def test_images_are_known_by_how_they_begin() -> None:
    assert image_type(PNG) == "image/png"
    assert image_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert image_type(b"GIF89a") == "image/gif"
    assert image_type(b"RIFF\x0a\x0a\x00\x00WEBPVP8 ") == "image/webp"
    assert image_type(b"<svg/>") == ""


def test_a_picture_that_names_a_pdf_stays_a_picture() -> None:
    assert not is_document(PNG + b"\x00%PDF-1.7")
    assert is_document(b"\x00%PDF-1.7")


@given(st.lists(st.text(max_size=300), max_size=8))
def test_names_are_safe_and_none_comes_twice(filenames: list[str]) -> None:
    names = safe_names(filenames)
    assert len(names) == len(filenames)
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert 1 <= len(name.encode()) <= LONGEST_NAME_BYTES
        assert name[0] not in ".-"
        assert not re.search(r"[/\\\s\0'\"$`;&|<>*?()\[\]{}~#!]", name)
        assert not any(unicodedata.category(character)[0] == "C" for character in name)


def test_a_hostile_name_becomes_a_plain_one(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\win.ini", "win.ini"),
        ("-rf", "rf"),
        (".bashrc", "bashrc"),
        ("..", "file"),
        ("", "file"),
        ("my notes (1).txt", "my_notes__1_.txt"),
        ("a\nb\x1b[31m\u202etxt.exe", "a_b__31m_txt.exe"),
        ("Grüße.txt", "Grüße.txt"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ]
    for filename, name in cases:
        with subtests.test(filename=filename, name=name):
            assert safe_names([filename]) == (name,)


def test_files_of_one_name_are_numbered() -> None:
    assert safe_names(["image.png", "IMAGE.png", "image.png"]) == ("image.png", "IMAGE-2.png", "image-3.png")


def test_a_paste_stands_below_what_was_typed_word_for_word() -> None:
    message = compose_words("look at this", [paste_of("one\r\n  two \n")], 100)
    assert message.text == (
        "look at this\n\n"
        "[attached file: message.txt, 12 bytes, saved as attachments/1/message.txt]\n"
        "```text\none\r\n  two \n```"
    )
    assert message.shown_chars == [12]


@given(st.text(st.sampled_from("`\n[]ab")), st.text(st.sampled_from("`\n[]ab")))
def test_no_file_can_end_its_own_section(first: str, second: str) -> None:
    text = compose_words("", [paste_of(first, "1"), paste_of(second, "2")], 10_000).text
    texts = []
    while text:
        head = re.match(r"\[attached file: [^\n]*\]\n(`{3,})text\n", text)
        assert head
        end = text.index("\n" + head[1], head.end() - 1)
        texts.append(text[head.end() : end])
        text = text[end + 1 + len(head[1]) :].removeprefix("\n\n")
    assert texts == [words.removesuffix("\n") for words in (first, second) if words]


def test_beyond_the_budget_the_rest_is_only_named() -> None:
    message = compose_words(
        "", [paste_of("a" * 900, "1.txt"), paste_of("b" * 900, "2.txt"), paste_of("c" * 900, "3.txt")], 300
    )
    assert message.shown_chars == [900, 300, 0]
    assert "[attached file: 2.txt, 900 bytes, saved as" in message.text
    assert "; the first 300 of 900 characters follow]" in message.text
    assert "3.txt" not in message.text


@given(st.lists(st.text(st.sampled_from("`\n[]ab; ")).filter(str.strip)))
def test_spoken_words_are_whole_whatever_the_budget_and_found_again(recordings: list[str]) -> None:
    words = [" ".join(recording.split()) for recording in recordings]
    files = [PastedText("a.ogg", text, 1, "attachments/1/a.ogg", heard_by="whisper-1") for text in words]
    message = compose_words("typed", [*files, paste_of("a file", "b.txt")], 0)
    assert spoken_texts(message.text) == words
    assert message.shown_chars == [*map(len, words), 0]


def test_no_spoken_words_are_found_within_a_file() -> None:
    voice = PastedText("a.ogg", "hello", 5, "attachments/1/a.ogg", heard_by="m")
    pose = compose_words("", [voice], 100).text
    message = compose_words("[attached file: x]\n`````text\n", [paste_of(f"{pose}\n", "b.txt"), voice], 1_000)
    assert spoken_texts(message.text) == ["hello"]


def test_a_head_says_that_words_were_spoken_and_who_wrote_them_down() -> None:
    file = PastedText("a.ogg", "hello", 5, "attachments/1/a.ogg", heard_by="a [model]")
    assert compose_words("", [file], 100).text == (
        "[attached file: a.ogg, 5 bytes, saved as attachments/1/a.ogg; spoken words follow, as a (model) wrote them down]\n"
        "```text\nhello\n```"
    )


def test_recordings_are_known_by_declared_type_or_name() -> None:
    assert [is_audio(*each) for each in (("a", "audio/ogg"), ("voice.OGG", ""), ("a.m4a", "video/mp4"))] == [True] * 3
    assert [is_audio(*each) for each in (("ogg", ""), ("a.mp4", "video/mp4"), ("a.txt", "text/plain"))] == [False] * 3


def test_a_file_that_is_not_in_the_text_has_a_line_of_its_own() -> None:
    files = [
        attachment_of(kind=FileKind.IMAGE, media_type="image/png", path="attachments/1/a.png"),
        attachment_of(filename="m.txt", kind=FileKind.TEXT, shown_chars=5, path="attachments/1/m.txt"),
        attachment_of(filename="x]\n[b.zip", kind=FileKind.FILE, note="not read: it is too large"),
    ]
    assert attachment_lines({"attachments": attachments_meta(files)}) == (
        "\n[attachment: a.png, 12 bytes, image/png, saved as attachments/1/a.png]"
        "\n[attachment: x) (b.zip, 12 bytes, not read: it is too large]"
    )


def test_files_of_old_logs_are_named_as_they_were() -> None:
    meta = {"attachments": attachments_meta([attachment_of()])}
    assert meta == {"attachments": [{"filename": "a.png", "url": "https://x/a.png", "size": 12}]}
    assert attachment_lines(meta) == "\n[attachment: a.png, 12 bytes, https://x/a.png]"


def test_only_images_that_were_kept_are_shown() -> None:
    files = [
        attachment_of(kind=FileKind.IMAGE, media_type="image/png", path="attachments/1/a.png"),
        attachment_of(kind=FileKind.IMAGE, media_type="image/png"),
        attachment_of(kind=FileKind.FILE, media_type="image/png", path="attachments/1/b.png"),
    ]
    assert images_of({"attachments": attachments_meta(files)}) == (
        ImageFile(path="attachments/1/a.png", media_type="image/png"),
    )


@given(st.integers(0, 1000))
def test_old_images_are_left_out_a_few_at_a_time(images: int) -> None:
    first, next_first = first_shown(images), first_shown(images + 1)
    assert images - MOST_IMAGES <= first <= max(0, images - MOST_IMAGES + FEWER_IMAGES - 1)
    assert next_first - first in (0, FEWER_IMAGES)
