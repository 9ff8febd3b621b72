"""Names of pictures: Discord shows a picture in the message by the ending of its name."""

from __future__ import annotations

from domain.turn.attachments import image_type

_ENDINGS = {
    "image/png": ("png",),
    "image/jpeg": ("jpg", "jpeg"),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
}
"""Endings of each kind of picture, the usual ending first."""
_ALL = frozenset(ending for endings in _ENDINGS.values() for ending in endings)


def picture_name(name: str, data: bytes) -> str:
    """Name of a file with the ending of its picture; the same name for any other file.

    Raises:
        ValueError: the file has the name of a picture, but other content.
    """
    endings = _ENDINGS.get(image_type(data), ())
    stem, _, ending = name.rpartition(".")
    is_called_picture = bool(stem) and ending.lower() in _ALL
    if ending.lower() in endings:
        return name
    if endings:
        return f"{stem if is_called_picture else name}.{endings[0]}"
    if is_called_picture:
        raise ValueError("it is called a picture, and is none that Discord shows (PNG, JPEG, GIF, WebP)")
    return name
