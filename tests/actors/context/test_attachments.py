"""Files that came with a message, in the log and in requests."""

from __future__ import annotations

from pathlib import Path

from messages.context import Attachment, FileKind
from messages.model import ImageFile
from tests.actors.context.rig import CHANNEL, Rig

IMAGE = Attachment(
    filename="a b.png",
    url="https://cdn/a.png?ex=1",
    size_bytes=9,
    media_type="image/png",
    kind=FileKind.IMAGE,
    path="attachments/1/a_b.png",
)
PASTE = Attachment(
    filename="message.txt",
    url="https://cdn/m.txt",
    size_bytes=5,
    kind=FileKind.TEXT,
    path="attachments/1/message.txt",
    shown_chars=5,
)


def test_the_log_names_every_file_and_how_much_was_typed(rig: Rig) -> None:
    rig.say("see\n\nsection", 1, attachments=(IMAGE, PASTE), typed_chars=3)
    (logged,) = rig.events()
    assert logged.content == "see\n\nsection"
    meta = logged.meta_dict()
    assert meta["typed"] == 3
    assert meta["attachments"] == [
        {
            "filename": "a b.png",
            "kind": "image",
            "path": "attachments/1/a_b.png",
            "size": 9,
            "type": "image/png",
            "url": "https://cdn/a.png?ex=1",
        },
        {
            "filename": "message.txt",
            "kind": "text",
            "path": "attachments/1/message.txt",
            "shown": 5,
            "size": 5,
            "url": "https://cdn/m.txt",
        },
    ]


def test_a_request_shows_the_image_and_says_where_its_path_begins(rig: Rig) -> None:
    rig.say("see", 1, attachments=(IMAGE,))
    (request,) = rig.requests()
    assert request.attachments == f"/attachments/{CHANNEL.id}"
    assert request.messages[-1].images == (ImageFile(path="attachments/1/a_b.png", media_type="image/png"),)
    assert request.messages[-1].text.endswith(
        "see\n[attachment: a b.png, 9 bytes, image/png, saved as attachments/1/a_b.png]"
    )


def test_the_next_life_shows_the_same(rig: Rig, tmp_path: Path) -> None:
    rig.say("see", 1, attachments=(IMAGE,))
    (before,) = rig.requests()
    rig.kill()
    again = Rig(tmp_path)
    again.say("and?", 2)
    assert again.requests()[0].messages == before.messages
    again.stop()
