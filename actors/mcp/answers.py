"""Results of a server as values: clean texts, and files with safe names, all within bounds."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mcp import types

from domain.text.presentable import presentable
from domain.text.terminal_text import plain
from domain.turn.tools.catalogue import LONGEST_DESCRIPTION, LONGEST_NAME, Tool, cut, schema_text
from messages.web import AnswerPart

MOST_PARTS = 200
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LINES = re.compile(r"[\n\r\u2028\u2029]+")
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "audio/ogg": ".ogg",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/zip": ".zip",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a server."""

    parts: tuple[AnswerPart, ...]
    is_error: bool = False


def readable(text: str) -> str:
    r"""`text` without terminal controls; characters that hide or reorder text are shown as `\u202e`."""
    return presentable(plain(text))


def clean(text: str, most: int) -> str:
    """`text` on a single line, without terminal controls, cut."""
    return cut(_LINES.sub(" ", readable(text[: 4 * most])).strip(), most)


def tool_of(server: str, each: types.Tool) -> Tool:
    """A tool in the agent's form; with an empty name if the name cannot be written."""
    name = readable(each.name).strip()
    if len(each.name) > LONGEST_NAME or _LINES.search(name):
        name = ""
    return Tool(
        server=server,
        name=name,
        wire_name=each.name,
        title=clean(each.title or "", 100),
        description=readable((each.description or "")[: 2 * LONGEST_DESCRIPTION]),
        schema=each.input_schema,
        schema_text=readable(schema_text(each.input_schema)),
    )


def answer_of_contents(result: types.CallToolResult, name: str) -> Answer:
    """Answer of a tool; structured content is shown as JSON if no text repeats the content."""
    parts = _parts(result.content, name)
    structured = result.structured_content
    if structured is not None and not any(part.text for part in parts):
        parts.append(AnswerPart(text=readable(json.dumps(structured, ensure_ascii=False, indent=1))))
    return Answer(tuple(parts), bool(result.is_error))


def answer_of_resource(result: types.ReadResourceResult, name: str) -> Answer:
    """Content of a resource."""
    return Answer(tuple(_resource(each, name) for each in result.contents[:MOST_PARTS]))


def answer_of_prompt(result: types.GetPromptResult, name: str) -> Answer:
    """Messages of a prompt, each after its role."""
    parts: list[AnswerPart] = []
    for message in result.messages[:MOST_PARTS]:
        parts.append(AnswerPart(text=f"[{message.role}]"))
        parts += _parts([message.content], name)
    return Answer(tuple(parts))


def _parts(contents: Iterable[Any], name: str) -> list[AnswerPart]:
    """Parts of an answer, the first `MOST_PARTS`."""
    contents = list(contents)
    parts = [_part(each, name) for each in contents[:MOST_PARTS]]
    if len(contents) > MOST_PARTS:
        parts.append(AnswerPart(text=f"({len(contents) - MOST_PARTS} more parts are left out)"))
    return parts


def _part(content: Any, name: str) -> AnswerPart:
    match content:
        case types.TextContent():
            return AnswerPart(text=readable(content.text))
        case types.ImageContent() | types.AudioContent():
            return _file(content.data, content.mime_type, name)
        case types.EmbeddedResource():
            return _resource(content.resource, name)
        case types.ResourceLink():
            words = clean(" ".join(filter(None, (content.title or content.name, content.description))), 500)
            return AnswerPart(text=f"resource {clean(str(content.uri), 2_000)}: {words}")
        case _:
            return AnswerPart(text="(a part of an unknown kind is left out)")


def _resource(content: Any, name: str) -> AnswerPart:
    own = clean(str(content.uri).rpartition("/")[2], 60) or "resource"
    if isinstance(content, types.TextResourceContents):
        return AnswerPart(text=readable(content.text), media_type=clean(content.mime_type or "", 100))
    return _file(content.blob, content.mime_type or "", f"{name}-{own}")


def _file(data: str, media_type: str, name: str) -> AnswerPart:
    """A file; a text for broken data."""
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return AnswerPart(text="(a file is left out: its data are not base64)")
    if not content:
        return AnswerPart(text="(an empty file)")
    media_type = clean(media_type, 100).lower()
    stem = _UNSAFE.sub("_", name).strip("._-")[:80] or "file"
    suffix = _SUFFIXES.get(media_type, "")
    if not suffix or not stem.endswith(suffix):
        stem += suffix or ("" if "." in stem else ".bin")
    return AnswerPart(data=content, media_type=media_type, name=stem)
