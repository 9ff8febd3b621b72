"""Body of a call: JSON, or multipart with files."""

from __future__ import annotations

from typing import Any

import msgspec
from aiohttp import BodyPartReader, web

from lab.playground.rest.responses import JSON_TYPE
from lab.playground.rest.route import Call
from lab.playground.world.errors import ApiError, invalid_form, too_large
from lab.playground.world.records import Upload
from lab.playground.world.rules import FILE_LIMIT_BYTES, REQUEST_LIMIT_BYTES
from lab.playground.world.traffic import Part

_decode = msgspec.json.Decoder().decode


async def read_body(request: web.Request, call: Call) -> None:
    """Fill in the call's payload and uploads; `ApiError` for invalid JSON or too large a body."""
    if not request.can_read_body:
        return
    call.has_body = True
    if (request.content_length or 0) > REQUEST_LIMIT_BYTES:
        raise too_large()
    if request.content_type == "multipart/form-data":
        await _read_multipart(request, call)
    elif request.content_type == JSON_TYPE:
        try:
            data = await request.read()
        except web.HTTPRequestEntityTooLarge as error:
            raise too_large() from error
        call.payload = _decode_json(data) if data else {}


async def _read_multipart(request: web.Request, call: Call) -> None:
    files: dict[str, tuple[str, str | None, bytes]] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise invalid_form("payload_json", "BASE_TYPE_BAD", "Nested multipart is not accepted")
        call.parts.append(Part(part.name, part.filename, part.headers.get("Content-Type")))
        data = await _read_part(part)
        if part.name == "payload_json":
            call.payload = _decode_json(data)
        elif part.name and part.filename:
            number = part.name.removeprefix("files[").removesuffix("]")
            files[number] = (part.filename, part.headers.get("Content-Type"), data)
    described = {str(entry.get("id")): entry for entry in call.payload.get("attachments") or ()}
    for number, (filename, content_type, data) in files.items():
        entry = described.get(number, {})
        kind = None if content_type == "application/octet-stream" else content_type
        call.uploads.append(Upload(entry.get("filename") or filename, data, kind, entry.get("description")))


async def _read_part(part: BodyPartReader) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk(1 << 16):
        data += chunk
        if len(data) > FILE_LIMIT_BYTES:
            raise too_large()
    return bytes(data)


def _decode_json(data: bytes | bytearray) -> Any:
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from error
