"""Images on their way to a model."""

from __future__ import annotations

import asyncio
import base64
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.model.conversation import Conversations
from actors.model.picture import data_url, refuse_image
from actors.model.wire import messages_of
from domain.turn.attachments import LONGEST_IMAGE_BYTES
from messages.base import Address, RequestId
from messages.model import ChatMessage, ImageFile, ModelRequest, Role
from tests.actors.model.bench import Bench, window

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
IMAGE = ImageFile(path="attachments/1/a.png", media_type="image/png")
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def mkfifo(file: Path) -> bool:
    os.mkfifo(file)
    return True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A window's folder of attachments that holds `IMAGE`."""
    file = tmp_path / IMAGE.path
    file.parent.mkdir(parents=True)
    file.write_bytes(PNG)
    return tmp_path / "attachments"


def request(folder: Path | str, *messages: ChatMessage) -> ModelRequest:
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("edge", "test"),
        window=window(),
        system_prompt="",
        messages=messages or (ChatMessage(role=Role.USER, text="look", images=(IMAGE,)),),
        tools=(),
        attachments=str(folder),
    )


def content(told: ModelRequest) -> Any:
    return messages_of(told, data_url)[0]["content"]


def test_an_image_is_told_beside_its_text(folder: Path) -> None:
    assert content(request(folder)) == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": URL}},
    ]


def test_the_same_request_is_told_in_the_same_bytes(folder: Path) -> None:
    assert repr(content(request(folder))) == repr(content(request(folder)))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda file: file.unlink(), "there is no such file"),
        (lambda file: file.write_bytes(b"something else"), "is no longer image/png"),
        (lambda file: file.write_bytes(PNG + bytes(LONGEST_IMAGE_BYTES)), "at most 3932160 are allowed"),
        (lambda file: (file.unlink(), file.symlink_to("/etc/hostname")), "no part of it may be a link"),
        (lambda file: file.with_name("b.png").hardlink_to(file), "it has 2 names"),
        (lambda file: (file.unlink(), mkfifo(file)), "it must be a regular file"),
    ],
)
def test_an_image_that_is_no_more_what_it_was_is_only_named(
    folder: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    spoil(folder.parent / IMAGE.path)
    said = content(request(folder))
    assert said.startswith("look\n[attachments/1/a.png is not shown to you: ")
    assert reason in said


def test_an_image_outside_the_directory_is_never_read(folder: Path) -> None:
    (folder.parent / "precious.png").write_bytes(PNG)
    for path in ("../precious.png", "attachments/../precious.png", "attachments/../../precious.png", "/etc/passwd"):
        outside = ImageFile(path=path, media_type="image/png")
        told = request(folder, ChatMessage(role=Role.USER, text="look", images=(outside,)))
        assert "it must be an attachment of this conversation" in content(told)


def test_without_a_folder_nothing_is_shown() -> None:
    assert "there is no such file" in content(request("/nowhere"))
    assert "it must be an attachment" in content(request(""))


def test_a_model_that_takes_no_images_is_told_so(folder: Path) -> None:
    told = messages_of(request(folder), refuse_image)
    said = "look\n[attachments/1/a.png is not shown to you: this model takes no images]"
    assert told == [{"role": "user", "content": said}]


def test_a_request_without_images_is_told_as_before() -> None:
    told = messages_of(request("", ChatMessage(role=Role.USER, text="hello")), data_url)
    assert told == [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize(("name", "sees"), [("openai/gpt-4o", True), ("hosted_vllm/test", False)])
def test_only_a_model_that_sees_is_sent_images(
    make_bench: Callable[..., Bench], folder: Path, name: str, sees: bool
) -> None:
    bench = make_bench(name=name)
    bench.tell(msgspec.structs.replace(request(folder), reply_to=bench.edge.address))
    bench.reply(RequestId("r"))
    (received,) = bench.server.requests()
    assert (URL.encode() in received.raw) is sees
    assert (b"this model takes no images" in received.raw) is not sees


def test_a_disk_that_hangs_costs_the_image_and_not_the_answer(folder: Path) -> None:
    over = threading.Event()
    conversations = Conversations(lambda _folder, _image: str(over.wait()), 0.1)
    try:
        messages = asyncio.run(conversations.messages(request(folder), sees_images=True))
    finally:
        over.set()
    assert "attachments/1/a.png is not shown to you: it could not be read in time" in str(messages)


@pytest.mark.filterwarnings("ignore:Sending a large body directly:ResourceWarning")
def test_a_large_image_is_sent_whole(make_bench: Callable[..., Bench], folder: Path) -> None:
    (folder.parent / IMAGE.path).write_bytes(PNG + bytes(LONGEST_IMAGE_BYTES - len(PNG)))
    bench = make_bench(name="openai/gpt-4o")
    bench.tell(msgspec.structs.replace(request(folder), reply_to=bench.edge.address))
    bench.reply(RequestId("r"))
    (received,) = bench.server.requests()
    assert len(received.raw) > LONGEST_IMAGE_BYTES * 4 // 3
