"""Container of a recording by its first bytes: names and declared types of files are often wrong. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class Container(NamedTuple):
    """Kind of an audio file."""

    ending: str
    media_type: str


_SIGNATURES = (
    (re.compile(rb"OggS"), Container("ogg", "audio/ogg")),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), Container("wav", "audio/wav")),
    (re.compile(rb"fLaC"), Container("flac", "audio/flac")),
    (re.compile(rb"....ftyp", re.DOTALL), Container("m4a", "audio/mp4")),
    (re.compile(rb"\x1aE\xdf\xa3"), Container("webm", "audio/webm")),
    (re.compile(rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"), Container("mp3", "audio/mpeg")),
    (re.compile(rb"\xff[\xf0\xf1\xf8\xf9]"), Container("aac", "audio/aac")),
    (re.compile(rb"#!AMR"), Container("amr", "audio/amr")),
    (re.compile(rb"FORM....AIF", re.DOTALL), Container("aiff", "audio/aiff")),
)


def container_of(data: bytes) -> Container | None:
    """Container with the same beginning as `data`; None for an unknown recording."""
    return next((container for signature, container in _SIGNATURES if signature.match(data)), None)
