"""Requests to the model actor's backends, made of recorded talks; the images are written into a folder."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from domain.turn.attachments import LONGEST_IMAGE_BYTES, image_type
from lab.bench.recorded.talk import Called, Picture, Result, Talk, Words
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, ImageFile, ModelRequest, Role, ToolCall, ToolSpec

_ELSEWHERE = b"\x89PNG\r\n\x1a\n" + bytes(24)
"""Image in place of an image at an address."""
_SIGNATURE = "__thought__"
"""Mark before Google's signature in the id of a call, as kept by the agent."""


def fit(talk: Talk) -> Talk:
    """Talk with a stand-in for images at addresses, and without the images that the agent takes from no user."""
    fitting = []
    for item in talk.items:
        if isinstance(item, Picture):
            item = item if item.data is not None else Picture(_ELSEWHERE, item.message)
            if not item.data or not image_type(item.data) or len(item.data) > LONGEST_IMAGE_BYTES:
                talk.without.add("an image of another kind, or too large")
                continue
        fitting.append(item)
    talk.items = fitting
    return talk


def request_of(talk: Talk, folder: Path) -> ModelRequest:
    """The agent's request for a talk.

    Args:
        talk: Of `fit`.
        folder: For the images.
    """
    return ModelRequest(
        request_id=RequestId("recorded"),
        reply_to=Address("recorded"),
        window=Window(surface=Surface.DISCORD_THREAD, id="100000000000000000"),
        system_prompt="\n\n".join(talk.system),
        messages=_conversation(talk, folder),
        tools=tuple(
            ToolSpec(name=tool.name, description=tool.description, parameters_json=json.dumps(tool.schema))
            for tool in talk.tools
        ),
        attachments=str(folder / "attachments"),
    )


def _conversation(talk: Talk, folder: Path) -> tuple[ChatMessage, ...]:
    """Messages: a user's by message, the assistant's text before its calls, results singly."""
    messages: list[ChatMessage] = []
    last: tuple[str, int] | None = None
    signed: dict[str, str] = {}
    for item in talk.items:
        match item:
            case Words(role, text, number) if last == (role, number):
                text = f"{messages[-1].text}\n\n{text}" if messages[-1].text else text
                messages[-1] = _change(messages[-1], text=text)
            case Words(role, text, number):
                messages.append(ChatMessage(role=Role(role), text=text))
                last = (role, number)
            case Picture(data, number):
                if last != ("user", number):
                    messages.append(ChatMessage(role=Role.USER, text=""))
                    last = ("user", number)
                images = (*messages[-1].images, _write(data or _ELSEWHERE, folder))
                messages[-1] = _change(messages[-1], images=images)
            case Called():
                if not messages or messages[-1].role is not Role.ASSISTANT:
                    messages.append(ChatMessage(role=Role.ASSISTANT, text=""))
                call_id = item.id + (f"{_SIGNATURE}{item.signature}" if item.signature else "")
                signed[item.id] = call_id
                call = ToolCall(id=call_id, name=item.name, arguments_json=item.arguments)
                messages[-1] = _change(messages[-1], tool_calls=(*messages[-1].tool_calls, call))
                last = None
            case Result(call_id, text):
                messages.append(ChatMessage(role=Role.TOOL, text=text, tool_call_id=signed.get(call_id, call_id)))
                last = None
    return tuple(messages)


def _change(message: ChatMessage, **fields: object) -> ChatMessage:

    return msgspec.structs.replace(message, **fields)


def _write(data: bytes, folder: Path) -> ImageFile:
    place = folder / "attachments"
    place.mkdir(exist_ok=True)
    name = f"{len(list(place.iterdir()))}.image"
    (place / name).write_bytes(data)
    return ImageFile(path=f"attachments/{name}", media_type=image_type(data))
