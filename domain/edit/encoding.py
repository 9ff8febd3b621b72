"""Encoding of files that people edit: only UTF-8 is read and written, and any other is told with a reason."""

from __future__ import annotations

from domain.edit.lines import separator

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""Byte order marks of UTF-16 and UTF-32."""
_HEAD_BYTES = 4096
_REMEDY = "; save it in UTF-8: until then the agent does not write to it"


def encoding_flaw(data: bytes) -> str:
    """Reason, for a person, why `data` is no text in UTF-8; empty for valid text."""
    if is_wide(data):
        return f"is in UTF-16 or UTF-32, and only UTF-8 is read{_REMEDY}"
    if (nul := data.find(b"\0")) >= 0:
        return f"has a NUL byte in line {_line(data, nul)}, so it is not UTF-8 text{_REMEDY}"
    if data.isascii():
        return ""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return f"ends in the middle of a character, so it is cut or not in UTF-8{_REMEDY}"
        place = f"byte 0x{data[error.start]:02x} in line {_line(data, error.start)}"
        return f"is not in UTF-8: {place} begins no character{_REMEDY}"
    return ""


def is_wide(data: bytes) -> bool:
    """True if `data` is in UTF-16 or UTF-32, with or without a mark, so no line is readable."""
    head = data[:_HEAD_BYTES]
    if head.startswith(_WIDE_MARKS):
        return True
    nuls = max(head[0::2].count(0), head[1::2].count(0))
    return nuls * 4 > len(head) and bool(head.strip(b"\0"))


def as_utf8(data: bytes) -> bytes:
    """`data` in UTF-8, for a version saved by a person in another encoding, with every word kept.

    UTF-16 and UTF-32 are decoded; in any other encoding, a line not in UTF-8 is read as Latin-1, a character for each
    byte. NUL bytes are left out.
    """
    if not encoding_flaw(data):
        return data
    if is_wide(data):
        return data.decode(_wide_name(data), "replace").encode("utf-8", "replace").replace(b"\0", b"")
    lines = data.replace(b"\0", b"").split(b"\n")
    return b"\n".join(line if _is_utf8(line) else line.decode("latin-1").encode() for line in lines)


def _wide_name(data: bytes) -> str:
    """Codec of data in UTF-16 or UTF-32; without a mark told by the places of the NUL bytes."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith(_WIDE_MARKS):
        return "utf-16"
    head = data[:_HEAD_BYTES]
    return "utf-16-be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16-le"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line(data: bytes, at: int) -> int:
    """Number, from 1, of the line with a byte."""
    return data.count(separator(data), 0, at) + 1
