"""Names of pictures have the endings of their contents."""

from __future__ import annotations

import pytest

from actors.discord.outgoing.pictures import picture_name

JPEG, WEBP = b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBP"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.jpeg", JPEG, "a.jpeg"),
        ("a.JPG", JPEG, "a.JPG"),
        ("a.png", JPEG, "a.jpg"),
        ("photo", WEBP, "photo.webp"),
        ("photo.v2", WEBP, "photo.v2.webp"),
        ("d.x/photo", WEBP, "d.x/photo.webp"),
        (".png", JPEG, ".png.jpg"),
        ("notes.txt", b"words", "notes.txt"),
        ("png", b"words", "png"),
    ],
)
def test_the_content_decides_the_ending(name: str, data: bytes, expected: str) -> None:
    assert picture_name(name, data) == expected


@pytest.mark.parametrize("name", ["a.png", "a.JPEG", "a.gif", "a.webp"])
def test_a_file_that_poses_as_a_picture_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is none that Discord shows"):
        picture_name(name, b"<svg/>")
